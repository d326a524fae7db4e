import { ciCd } from './ci-cd.js';
import { dataPlatform } from './data-platform.js';
import { factory } from './factory.js';
import { homeAutomation } from './home-automation.js';
import { hospital } from './hospital.js';
import { library } from './library.js';
import { mlTraining } from './ml-training.js';
import { school } from './school.js';
import { shop } from './shop.js';
import { travel } from './travel.js';
import type { Scene } from '../scene.js';
import type { Domain } from './types.js';
import { warehouse } from './warehouse.js';
import { webService } from './web-service.js';

export type { Domain, Wording } from './types.js';

/** The nine domains of every split but `ood-vocab`. */
export const commonDomains: readonly Domain[] = [
  webService,
  dataPlatform,
  mlTraining,
  ciCd,
  shop,
  warehouse,
  school,
  library,
  homeAutomation,
];

/** The three domains that only `ood-vocab` speaks of. */
export const heldOutDomains: readonly Domain[] = [hospital, factory, travel];

/**
 * The second name of a label in the graph, as `DB = Database`, for tolerance to synonyms in evaluation; training tasks
 * never mention it.
 */
export function aliasIn(
  domain: Domain,
  { lang, nodes }: Pick<Scene, 'lang' | 'nodes'>,
): { readonly alias?: string } {
  const [second, first] = domain[lang].alias;
  return nodes.some(({ label }) => label === first) ? { alias: `${second} = ${first}` } : {};
}

/** Things of the domain that are not in the graph: no label is part of them, nor are they part of a label. */
export function absentWords(
  domain: Domain,
  scene: Pick<Scene, 'lang' | 'nodes' | 'groups'>,
): readonly string[] {
  const labels = [...scene.nodes, ...scene.groups].map(({ label }) => label.toLowerCase());
  return domain[scene.lang].nouns.filter((noun) => {
    const word = noun.toLowerCase();
    return labels.every((label) => !label.includes(word) && !word.includes(label));
  });
}
