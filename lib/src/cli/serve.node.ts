import { randomBytes } from 'node:crypto';
import { Option, type Command } from 'commander';
import type { RewardPreset } from '../rewards/index.js';
import type { Profile } from '../envs/diagram/tasks/index.js';
import { worldNames, type WorldName } from '../serve/worlds.js';
import { listenForInterrupt } from './interrupt.node.js';
import { nonNegativeInteger, positiveInteger } from './options.node.js';

interface Options {
  readonly env: WorldName;
  readonly profile: Profile;
  readonly reward: RewardPreset;
  readonly seed: number;
  readonly host: string;
  readonly port: number;
  readonly token?: string;
  readonly journal?: string;
  readonly maxConcurrentEnvs: number;
  readonly sessionTimeout: number;
}

/** Instead of `--token`, which others on the machine can read in the list of processes. */
const TOKEN_VARIABLE = 'POSTTRAIN_TOKEN';

export function addServe(program: Command): void {
  const rewards: readonly RewardPreset[] = ['gated', 'no-layout', 'no-gate', 'naive'];
  program
    .command('serve')
    .description('serve an environment to trainers in other languages (OpenEnv over HTTP and WebSocket)')
    .addOption(new Option('--env <name>', 'which world').choices(worldNames).default('diagram'))
    .addOption(
      new Option('--profile <profile>', 'tasks of the diagram world')
        .choices(['full', 'curriculum'])
        .default('full'),
    )
    .addOption(
      new Option('--reward <preset>', 'reward of the diagram world').choices(rewards).default('gated'),
    )
    .option('--seed <number>', 'which diagram tasks', nonNegativeInteger, 1)
    .option('--host <address>', 'where to listen; others than this machine need the token', '127.0.0.1')
    .option('--port <number>', '0 takes a free one', nonNegativeInteger, 8000)
    .option(
      '--token <token>',
      `what clients must show (or ${TOKEN_VARIABLE}; made up when the host needs one)`,
    )
    .option('--journal <file>', 'where acknowledged steps are kept (default: runs/serve/ENV-PORT.jsonl)')
    .option('--max-concurrent-envs <number>', 'episodes at once', positiveInteger, 4096)
    .option('--session-timeout <seconds>', 'after which an idle episode is forgotten', positiveInteger, 3600)
    .addHelpText(
      'after',
      `
POST /reset {"task_id"?, "split"?, "seed"?, "episode_id"?}    begins an episode
POST /step  {"action": {"text": "…"}, "episode_id"}           takes one reply of the policy
POST /reward {"task_ids": […], "completions": […]}            rewards of single replies, for a reward function
GET  /state /schema /metadata /health, /task?split=&index=    and the same episodes by WebSocket at /ws

A killed server goes on where it was: its journal has every step that a client was told of.

Examples:
  posttrain serve --env diagram --profile curriculum
  ${TOKEN_VARIABLE}=… posttrain serve --host 0.0.0.0 --port 8080`,
    )
    .action(serve);
}

async function serve({ env, profile, reward, seed, journal, ...options }: Options): Promise<void> {
  // only now: the server and the reward are loaded
  const { isLoopback } = await import('../serve/guard.node.js');
  const { serveWorld } = await import('../serve/server.node.js');
  const { openWorld } = await import('../serve/worlds.js');
  const given = options.token ?? process.env[TOKEN_VARIABLE];
  const token = given ?? (isLoopback(options.host) ? undefined : randomBytes(24).toString('base64url'));
  const server = await serveWorld(openWorld(env, { profile, reward, seed }), {
    ...options,
    ...(token !== undefined && { token }),
    journal: (port) => journal ?? `runs/serve/${env}-${port}.jsonl`,
  });
  // who reads the address and closes the pipe does not end the server
  process.stdout.on('error', () => {});
  const going = server.resumed > 0 ? `, ${server.resumed} episodes go on` : '';
  process.stdout.write(`Serving ${env} at ${server.url}${going}. Ctrl-C stops it.\n`);
  if (given === undefined && token !== undefined) process.stdout.write(`Token: ${token}\n`);
  await interrupted();
  await server.close();
}

/** Resolves at Ctrl-C. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const { signal, release } = listenForInterrupt(() => process.stdout.write('Stopping.\n'));
    signal.addEventListener('abort', () => {
      release();
      resolve();
    });
  });
}
