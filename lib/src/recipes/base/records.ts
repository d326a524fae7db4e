/**
 * Copying-rich exercises: a text on one side, JSON or plain text that repeats parts of it on the other.
 *
 * They give the base model what a large language model gets from the web: reading a name in free text, writing it
 * again letter by letter inside JSON, numbering things, referring to them by number. None is the diagram task: no canvas, no
 * coordinates, no actions, none of its keys.
 */
import type { RandomStream } from '../../tensor/random.js';
import { distinctLabels } from './labels.js';

/** A question and its answer. */
export interface Document {
  readonly prompt: string;
  readonly completion: string;
}

type Exercise = (random: RandomStream, words: readonly string[]) => Document;

const SEPARATORS = [', ', '; ', ' / ', ' | ', '\n', ' -> ', ' then ', ' and ', '\n- '] as const;

function enumerated(random: RandomStream, labels: readonly string[]): string {
  const separator = random.pick(SEPARATORS);
  const start = separator === '\n- ' ? '- ' : '';
  return start + labels.join(separator);
}

function sentenceList(labels: readonly string[]): string {
  return labels.length < 2
    ? (labels[0] ?? '')
    : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1) ?? ''}`;
}

const listing: Exercise = (random, words) => {
  const labels = distinctLabels(random, words, 2 + random.int(5));
  const text = random.uniform() < 0.5 ? enumerated(random, labels) : `${sentenceList(labels)}.`;
  const lead = random.pick([
    '',
    'List: ',
    'Pack these: ',
    'We need ',
    'Names: ',
    'Please note ',
    'Four words for you: ',
  ]);
  return { prompt: lead + text, completion: JSON.stringify({ list: labels }) };
};

const numbering: Exercise = (random, words) => {
  const labels = distinctLabels(random, words, 2 + random.int(5));
  const text = random.uniform() < 0.5 ? enumerated(random, labels) : sentenceList(labels);
  const rows = labels.map((name, i) => ({ no: i + 1, name }));
  return {
    prompt: `${random.pick(['Number ', 'Count them: ', 'In order: ', 'Give each a number: '])}${text}`,
    completion: JSON.stringify({ rows }),
  };
};

const FIELDS = [
  'name',
  'town',
  'ship',
  'trade',
  'street',
  'dish',
  'song',
  'colour',
  'guest',
  'room',
] as const;

const fields: Exercise = (random, words) => {
  const keys = random.shuffle(FIELDS).slice(0, 2 + random.int(4));
  const labels = distinctLabels(random, words, keys.length);
  const mention = random.pick([
    (key: string, value: string) => `${key}: ${value}`,
    (key: string, value: string) => `the ${key} is ${value}`,
    (key: string, value: string) => `${value} (${key})`,
    (key: string, value: string) => `${value} for the ${key}`,
  ]);
  const record = Object.fromEntries(keys.map((key, i) => [key, labels[i] ?? '']));
  const order = random.shuffle(keys);
  return {
    prompt: order.map((key) => mention(key, record[key] ?? '')).join(random.pick(['; ', ', ', '. ', '\n'])),
    completion: JSON.stringify({ record }),
  };
};

const lookup: Exercise = (random, words) => {
  const labels = distinctLabels(random, words, 3 + random.int(4));
  const wanted = random.shuffle(labels).slice(0, 1 + random.int(3));
  const positions = wanted.map((name) => labels.indexOf(name) + 1);
  return {
    prompt: `${enumerated(random, labels)}\n${random.pick(['Where is', 'Which number is', 'Find'])} ${wanted.join(', ')}?`,
    completion: JSON.stringify({ at: positions }),
  };
};

type Payment = readonly [payer: number, payee: number];

/** A text, the people in the order it names them, and the payments in the order it tells them. */
interface Story {
  readonly text: string;
  readonly named: readonly number[];
  readonly told: readonly Payment[];
}

/** Payments told one by one, or by payer or payee with the others in a list: `A pays B and C`, `A and B pay C`. */
function tellPayments(random: RandomStream, people: readonly string[], payments: readonly Payment[]): Story {
  const names = (them: readonly number[]): string => sentenceList(them.map((i) => people[i] ?? ''));
  const statement = random.pick<(payers: readonly number[], payees: readonly number[]) => string>([
    (payers, payees) => `from ${names(payers)} to ${names(payees)}`,
    (payers, payees) => `${names(payers)} -> ${names(payees)}`,
    (payers, payees) => `${names(payers)} before ${names(payees)}`,
    ...['pay', 'owe', 'send money to', 'write to', 'call', 'visit', 'thank', 'train', 'follow'].map(
      (verb) => (payers: readonly number[], payees: readonly number[]) =>
        `${names(payers)} ${payers.length > 1 ? verb : verb.replace(/^\w+/, '$&s')} ${names(payees)}`,
    ),
  ]);
  const keyOf = random.pick<(payment: Payment) => number>([
    (payment) => payments.indexOf(payment),
    ([payer]) => payer,
    ([, payee]) => payee,
  ]);
  const groups = [...new Set(payments.map(keyOf))].map((key) => payments.filter((one) => keyOf(one) === key));
  const distinct = (them: readonly number[]): number[] => [...new Set(them)];
  const sides = groups.map((group) => ({
    payers: distinct(group.map(([payer]) => payer)),
    payees: distinct(group.map(([, payee]) => payee)),
  }));
  return {
    text: sides
      .map(({ payers, payees }) => statement(payers, payees))
      .join(random.pick(['. ', ', ', '; ', ', then ', '\n', ', and '])),
    named: distinct(sides.flatMap(({ payers, payees }) => [...payers, ...payees])),
    told: groups.flat(),
  };
}

/** Payments between people, people by number in the order they are first named: the shape of every ledger. */
const ledger: Exercise = (random, words) => {
  const people = distinctLabels(random, words, 3 + random.int(3));
  const chain = random.uniform() < 0.3;
  const payments = people.slice(1).map((_, i): Payment => {
    const other = chain || random.uniform() < 0.4 ? i : random.int(i + 1);
    return chain || random.uniform() < 0.8 ? [other, i + 1] : [i + 1, other];
  });
  const opening =
    random.uniform() < 0.5
      ? `${random.pick(['People', 'Accounts', 'Who is here', 'Friends'])}: ${people.join(', ')}. `
      : '';
  const everybody = people.map((_, i) => i);
  const story: Story =
    chain && random.uniform() < 0.5
      ? { text: people.join(random.pick([' -> ', ', then ', ' > '])), named: everybody, told: payments }
      : tellPayments(random, people, payments);
  const { text, told } = story;
  const named = opening === '' ? story.named : everybody;
  return {
    prompt: opening + text,
    completion: JSON.stringify({
      accounts: named.map((person, i) => ({ no: i + 1, owner: people[person] })),
      payments: told.map(([payer, payee]) => ({
        payer: named.indexOf(payer) + 1,
        payee: named.indexOf(payee) + 1,
      })),
    }),
  };
};

/** Books and their authors, authors by number: a foreign key. */
const catalogue: Exercise = (random, words) => {
  const authors = distinctLabels(random, words, 2 + random.int(2));
  const titles = distinctLabels(random, words, 2 + random.int(3)).filter((title) => !authors.includes(title));
  const books = titles.map((title) => ({ title, author: 1 + random.int(authors.length) }));
  const clause = random.pick([
    (title: string, author: string) => `${title} was written by ${author}`,
    (title: string, author: string) => `${author} wrote ${title}`,
    (title: string, author: string) => `${title} (${author})`,
  ]);
  const prompt = `Authors: ${sentenceList(authors)}. ${books.map((book) => clause(book.title, authors[book.author - 1] ?? '')).join('. ')}.`;
  return {
    prompt,
    completion: JSON.stringify({ authors: authors.map((name, i) => ({ no: i + 1, name })), books }),
  };
};

const series: Exercise = (random) => {
  const start = 10 * random.int(40);
  const stride = 10 * (1 + random.int(30));
  const count = 3 + random.int(4);
  const values = Array.from({ length: count }, (_, i) => start + i * stride);
  return {
    prompt: `${count} numbers from ${start}, ${stride} apart`,
    completion: JSON.stringify({ numbers: values }),
  };
};

/**
 * Numbers beside names: read from the text, or made up. What is made up teaches that any number may stand where a number
 * must stand, and nothing else.
 */
const prices: Exercise = (random, words) => {
  const items = distinctLabels(random, words, 2 + random.int(4)).map((item) => ({
    item,
    price: 10 * random.int(160),
    tax: 10 * random.int(random.pick([10, 40, 160])),
  }));
  const names = items.map(({ item }) => item);
  const prompt =
    random.uniform() < 0.5
      ? `${random.pick(['Make up prices: ', 'Any price will do for ', 'Guess what it costs: '])}${sentenceList(names)}`
      : items
          .map(({ item, price, tax }) => `${item} ${price} + ${tax}`)
          .join(random.pick(['; ', ', ', '\n', ' and ']));
  return { prompt, completion: JSON.stringify({ prices: items }) };
};

const repeating: Exercise = (random, words) => {
  const text = Array.from({ length: 4 + random.int(24) }, () => random.pick(words)).join(' ');
  return random.uniform() < 0.5
    ? { prompt: `Say it again: ${text}`, completion: text }
    : { prompt: `Quote: ${text}`, completion: `"${text}"` };
};

const reversing: Exercise = (random, words) => {
  const labels = distinctLabels(random, words, 2 + random.int(4));
  return {
    prompt: `Backwards: ${labels.join(', ')}`,
    completion: JSON.stringify({ list: [...labels].reverse() }),
  };
};

const EXERCISES: readonly { readonly exercise: Exercise; readonly share: number }[] = [
  { exercise: listing, share: 0.12 },
  { exercise: numbering, share: 0.18 },
  { exercise: fields, share: 0.1 },
  { exercise: lookup, share: 0.1 },
  { exercise: ledger, share: 0.32 },
  { exercise: catalogue, share: 0.1 },
  { exercise: series, share: 0.04 },
  { exercise: prices, share: 0.12 },
  { exercise: repeating, share: 0.12 },
  { exercise: reversing, share: 0.04 },
];

/** One exercise, drawn by share. */
export function drawExercise(random: RandomStream, words: readonly string[]): Document {
  let u = random.uniform() * EXERCISES.reduce((sum, { share }) => sum + share, 0);
  for (const { exercise, share } of EXERCISES) {
    u -= share;
    if (u < 0) return exercise(random, words);
  }
  return listing(random, words);
}
