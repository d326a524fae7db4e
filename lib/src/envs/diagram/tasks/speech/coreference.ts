/** Saying "the latter" or "there" where the node named last would be named again. */
import { chance } from '../phrases.js';
import type { Statement } from '../statements.js';
import type { Clause, Voice } from './voice.js';

export interface Pronouns {
  /** Goes on after the sentence before: `, which then `. */
  readonly which: string;
  /** Begins a sentence of its own: `the latter `. */
  readonly latter: string;
}

export interface Said {
  readonly texts: readonly string[];
  readonly coreferences: number;
}

/** More pronouns than this in one request would be a riddle. */
const MOST = 2;

/** Statements as sentences; one about the node named last may use a pronoun. */
export function inSentences(
  voice: Voice,
  statements: readonly Statement[],
  sentence: (statement: Statement, voice: Voice) => Clause,
  pronouns: Pronouns,
): Said {
  const texts: string[] = [];
  let coreferences = 0;
  let last: Clause | undefined;
  for (const statement of statements) {
    const clause = sentence(statement, voice);
    const repeats = clause.subject !== undefined && clause.subject === last?.object;
    if (voice.coreference && repeats && coreferences < MOST) {
      coreferences++;
      if (chance(voice.random, 0.5)) texts[texts.length - 1] += pronouns.which + clause.predicate!;
      else texts.push(pronouns.latter + clause.predicate!);
    } else texts.push(clause.text);
    last = clause;
  }
  return { texts, coreferences };
}

/** Statements as items of a list; an arrow that starts where the one before ended may start from `pronoun`. */
export function inItems(
  voice: Voice,
  statements: readonly Statement[],
  item: (statement: Statement, source: string | undefined) => string,
  pronoun: string,
): Said {
  const texts: string[] = [];
  let coreferences = 0;
  let last: number | undefined;
  for (const statement of statements) {
    const isNext = statement.kind === 'edge' && statement.edge.from === last && !voice.scene.undirected;
    const refers = voice.coreference && isNext && coreferences < MOST;
    if (refers) coreferences++;
    texts.push(item(statement, refers ? pronoun : undefined));
    last = namedLast(statement);
  }
  return { texts, coreferences };
}

/** The one node that "there" can mean after a statement. */
function namedLast(statement: Statement): number | undefined {
  if (statement.kind === 'edge') return statement.edge.to;
  if (statement.kind === 'path') return statement.nodes.at(-1);
  return statement.kind === 'gather' ? statement.to : undefined;
}
