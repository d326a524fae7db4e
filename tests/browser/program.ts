/** What runs in Node and in a page alike: nano learns the teacher's drawings, from the committed base. */
import {
  collect,
  configFromJSON,
  diagramEnvironment,
  encodeCheckpoint,
  type Engine,
  generateTask,
  type Metrics,
  type Model,
  modelFrom,
  parseSafetensors,
  renderCompletion,
  renderPrompt,
  sampleKeys,
  scoreDiagram,
  scriptedTeacher,
  sft,
  type SFTOptions,
  type SFTRow,
  type SFTStep,
  type Tokenizer,
  tokenizerFromJSON,
} from 'posttrain';

export const STEPS = 20;
const SEED = 7;

/** Several parts in every batch, so that there is something to share among workers. */
export const microBatchTokens = 128;

export interface Base {
  readonly model: Model;
  readonly tokenizer: Tokenizer;
}

/** @param read gives a file of data/base */
export async function loadBase(read: (name: string) => Promise<Uint8Array>): Promise<Base> {
  const text = async (name: string): Promise<string> => new TextDecoder().decode(await read(name));
  const { tensors } = parseSafetensors(await read('model.safetensors'));
  return {
    model: modelFrom(configFromJSON(await text('config.json')), (name) => tensors.get(name)!.data),
    tokenizer: tokenizerFromJSON(await text('tokenizer.json')),
  };
}

/** What the scripted teacher answers to training tasks. */
export async function teacherRows(tokenizer: Tokenizer): Promise<SFTRow[]> {
  const tasks = Array.from({ length: 8 }, (_, index) =>
    generateTask({ seed: SEED, split: 'train', index, profile: 'curriculum' }),
  );
  const teachers = [{ teacher: scriptedTeacher({ seed: SEED }) }];
  const rows: SFTRow[] = [];
  const env = diagramEnvironment({ scorer: scoreDiagram });
  for await (const { turns } of collect({ env, teachers, tasks, seed: SEED })) {
    for (const { observation, completion } of turns) {
      rows.push({
        prompt: renderPrompt(tokenizer, [{ role: 'user', content: observation }]),
        completion: renderCompletion(tokenizer, completion),
      });
    }
  }
  return rows;
}

export function train(
  engine: Engine,
  rows: readonly SFTRow[],
  going: Pick<SFTOptions, 'state' | 'signal'> = {},
): AsyncGenerator<SFTStep, void, void> {
  const config = { batchSize: 4, maxLength: 128, maxSteps: STEPS, warmupSteps: 4, seed: SEED };
  return sft({ engine, rows, config, ...going });
}

/** What two runs must share to count as the same. */
export interface Outcome {
  readonly metrics: readonly Metrics[];
  /** SHA-256 of the checkpoint: every bit of the weights and of both moments. */
  readonly checkpoint: string;
  /** What the trained policy then says, and how likely it finds that. */
  readonly samples: readonly { readonly text: string; readonly logprobs: readonly number[] }[];
}

export async function outcome(
  engine: Engine,
  tokenizer: Tokenizer,
  steps: readonly SFTStep[],
): Promise<Outcome> {
  const prompts = ['Two boxes: Browser, API', 'A cat'].map((content) =>
    renderPrompt(tokenizer, [{ role: 'user', content }]),
  );
  const params = { maxNewTokens: 24, temperature: 1, stopTokens: [] };
  const samples = await engine.sample(prompts, params, sampleKeys(prompts.length, SEED, 'browser'));
  return {
    metrics: steps.map(({ metrics }) => metrics),
    checkpoint: await sha256(await checkpointOf(engine, steps)),
    samples: samples.map(({ tokens, logprobs }) => ({
      text: tokenizer.decode(tokens),
      logprobs: Array.from(logprobs),
    })),
  };
}

export async function checkpointOf(engine: Engine, steps: readonly SFTStep[]): Promise<Uint8Array> {
  return encodeCheckpoint({ engine: await engine.save(), trainer: steps.at(-1)?.state });
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
