/** A few tasks word for word, read and checked by eye: whoever changes the generator changes every recorded result. */
import { generateTask, type TaskAddress } from 'posttrain/envs/diagram/tasks/index';
import { expect, it } from 'vitest';

interface Golden {
  readonly address: TaskAddress;
  readonly request: string;
  readonly nodes: readonly string[];
  readonly edges: readonly string[];
  readonly direction?: string;
}

const golden: readonly Golden[] = [
  {
    address: { seed: 7, split: 'train', index: 0, profile: 'curriculum' },
    request: 'Save checkpoint, then Merge adapter, then Tokenize text, then Tune threshold.',
    nodes: ['Save checkpoint', 'Merge adapter', 'Tokenize text', 'Tune threshold'],
    edges: ['n1>n2', 'n2>n3', 'n3>n4'],
    direction: 'LR',
  },
  {
    address: { seed: 7, split: 'train', index: 1, profile: 'curriculum' },
    request: 'Connect Main branch to Production and Monorepo, and Monorepo to Chat bot.',
    nodes: ['Main branch', 'Production', 'Monorepo', 'Chat bot'],
    edges: ['n1>n2', 'n1>n3', 'n3>n4'],
    direction: 'TB',
  },
  {
    address: { seed: 7, split: 'id', index: 0, profile: 'curriculum' },
    request: 'Prompt pool -> Model registry, Policy -> Model registry',
    nodes: ['Prompt pool', 'Model registry', 'Policy'],
    edges: ['n1>n2', 'n3>n2'],
    direction: 'LR',
  },
  {
    address: { seed: 7, split: 'ood-edit', index: 2 },
    request: '这张图有错，应当是：“书号 42” -> “购书经费”，“书号 42” -> “装订工”。请修好。',
    nodes: ['书号 42', '购书经费', '装订工'],
    edges: ['n1>n2', 'n1>n3'],
  },
  {
    address: { seed: 7, split: 'ood-topology', index: 1, profile: 'full' },
    request:
      'State machine: Running > Quarantined (stop); Quarantined > Queued (cancel); Queued > Quarantined (start); ' +
      'Quarantined > Running (submit); Fresh > Queued (confirm); Queued > Fresh (complete). All states are ellipses. ' +
      'Thank you very much. Use soft colours for the arrows.',
    nodes: ['Running', 'Quarantined', 'Queued', 'Fresh'],
    edges: ['n1>n2 stop', 'n2>n3 cancel', 'n3>n2 start', 'n2>n1 submit', 'n4>n3 confirm', 'n3>n4 complete'],
  },
];

it.each(golden)('$request', ({ address, request, nodes, edges, direction }) => {
  const { requests, graph } = generateTask(address);
  expect(requests).toEqual([request]);
  expect(graph.nodes).toMatchObject(nodes.map((label, i) => ({ id: `n${i + 1}`, label })));
  expect(graph.edges.map(({ from, to, label }) => `${from}>${to}${label ? ` ${label}` : ''}`)).toEqual(edges);
  expect(graph.direction).toBe(direction);
});
