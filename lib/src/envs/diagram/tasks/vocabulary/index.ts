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
