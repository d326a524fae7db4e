import { describe, expect, it } from 'vitest';
import { defaultRules } from 'posttrain/envs/diagram/canvas';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import type { Canvas, DiagramTask, ExpectedGraph } from 'posttrain/envs/diagram/types';
import { scoreDiagram } from 'posttrain/rewards/index';
import { collect } from 'posttrain/teachers/collect';
import { scriptedTeacher, type ScriptedTeacherOptions } from 'posttrain/teachers/scripted';
import type { TrajectoryRecord } from 'posttrain/teachers/records';

const env = diagramEnvironment({ scorer: scoreDiagram });

async function episode(
  task: DiagramTask,
  options: ScriptedTeacherOptions = {},
  numGenerations = 1,
): Promise<TrajectoryRecord[]> {
  const records: TrajectoryRecord[] = [];
  const teachers = [{ teacher: scriptedTeacher(options), keep: 'all' as const }];
  for await (const record of collect({ env, tasks: [task], teachers, numGenerations })) records.push(record);
  return records;
}

function task(graph: Partial<ExpectedGraph>, rest: Partial<DiagramTask> = {}): DiagramTask {
  return {
    id: 'hand-made',
    split: 'test',
    kind: 'draw',
    requests: ['Draw it.'],
    graph: { nodes: [], edges: [], groups: [], ...graph },
    rules: defaultRules,
    lang: 'en',
    family: 'test',
    meta: {},
    ...rest,
  };
}

function nodes(...labels: string[]): ExpectedGraph['nodes'] {
  return labels.map((label, index) => ({ id: `n${index + 1}`, label }));
}

function edges(...pairs: string[]): ExpectedGraph['edges'] {
  return pairs.map((pair) => {
    const [ends, label] = pair.split(' ');
    const [from, to] = ends!.split('>').map((number) => `n${number}`);
    return { from: from!, to: to!, ...(label === undefined ? {} : { label }) };
  });
}

function actionsOf(record: TrajectoryRecord, turn = 0): Record<string, unknown>[] {
  return (JSON.parse(record.turns[turn]!.completion) as { actions: Record<string, unknown>[] }).actions;
}

const tiers = task({ nodes: nodes('Browser', 'API', 'Database'), edges: edges('1>2', '2>3') });

const hard: Record<string, Partial<ExpectedGraph>> = {
  'a feedback arrow past a whole chain': {
    nodes: nodes('Draft', 'Review', 'Edit', 'Publish'),
    edges: edges('1>2', '2>3', '3>4', '4>1'),
    direction: 'LR',
  },
  'an arrow that skips ranks': {
    nodes: nodes('A', 'B', 'C', 'D'),
    edges: edges('1>2', '2>3', '3>4', '1>4', '1>3'),
  },
  'labelled arrows both ways': {
    nodes: nodes('Idle', 'Running'),
    edges: edges('1>2 start-the-long-job', '2>1 stop-it-again'),
    direction: 'LR',
  },
  'two loops on one state': {
    nodes: nodes('Open', 'Closed'),
    edges: edges('1>1 retry', '1>1 ping', '1>2 close'),
  },
  'a complete bipartite graph': {
    nodes: nodes('A', 'B', 'C', 'X', 'Y'),
    edges: edges('1>4', '1>5', '2>4', '2>5', '3>4', '3>5'),
  },
  'ten boxes in a row': {
    nodes: nodes(...Array.from({ length: 10 }, (_, index) => `Step number ${index}`)),
    edges: edges(...Array.from({ length: 9 }, (_, index) => `${index + 1}>${index + 2}`)),
    direction: 'LR',
  },
  'a long label in a diamond': {
    nodes: [
      { id: 'n1', label: '高位货架上还有整托盘的货吗？', shape: 'diamond' },
      { id: 'n2', label: '取下整托' },
      { id: 'n3', label: '发出补货提醒' },
    ],
    edges: edges('1>2 是', '1>3 否'),
  },
  'three circles that overlap': {
    nodes: (['Fast', 'Good', 'Cheap'] as const).map((label, index) => ({
      id: `n${index + 1}`,
      label,
      shape: 'ellipse',
    })),
    overlaps: [
      ['n1', 'n2'],
      ['n2', 'n3'],
      ['n1', 'n3'],
    ],
  },
  'a group that is the end of an arrow': {
    nodes: nodes('Agent', 'Search', 'Calculator'),
    groups: [{ id: 'g1', label: 'Tools', members: ['n2', 'n3'] }],
    edges: [{ from: 'n1', to: 'g1' }],
  },
  'nested groups with an arrow across': {
    nodes: nodes('User', 'API', 'Worker', 'Database'),
    groups: [
      { id: 'g1', label: 'Cloud', members: ['g2', 'n4'] },
      { id: 'g2', label: 'Private network', members: ['n2', 'n3'] },
    ],
    edges: edges('1>2', '2>3', '3>4'),
  },
  'no arrows': { nodes: nodes('One', 'Two', 'Three', 'Four', 'Five', 'Six') },
};

describe('the scripted teacher draws', () => {
  it.each(Object.entries(hard))('%s', async (_name, graph) => {
    const [record] = await episode(task(graph));
    expect(record).toMatchObject({ success: true });
    expect(record!.reward).toBeGreaterThan(0.93);
  });

  it('in the canonical order: nodes as mentioned, then arrows as told', async () => {
    const [record] = await episode(tiers);
    expect(record!.turns[0]!.completion).toBe(
      '{"actions":[' +
        '{"type":"create","shape":"rectangle","id":"n1","x":60,"y":60,"width":160,"height":60,"text":"Browser"},' +
        '{"type":"create","shape":"rectangle","id":"n2","x":300,"y":60,"width":160,"height":60,"text":"API"},' +
        '{"type":"create","shape":"rectangle","id":"n3","x":540,"y":60,"width":160,"height":60,"text":"Database"},' +
        '{"type":"connect","from":"n1","to":"n2"},{"type":"connect","from":"n2","to":"n3"}]}',
    );
  });

  it('by the rules it is given', async () => {
    const rules = { ...defaultRules, canvasWidth: 700, canvasHeight: 1400, minGap: 60, grid: 25 };
    const [record] = await episode({ ...tiers, rules, graph: { ...tiers.graph, direction: 'BT' } });
    expect(record).toMatchObject({ success: true });
    const boxes = actionsOf(record!).filter(({ type }) => type === 'create') as Record<'x' | 'y', number>[];
    expect(boxes.every(({ x, y }) => x % 25 === 0 && y % 25 === 0)).toBe(true);
  });

  it('the same answer to the same question', async () => {
    const options = { numLayouts: 5, seed: 9 };
    expect(await episode(tiers, options, 5)).toEqual(await episode(tiers, options, 5));
  });

  it('as many different good drawings as it is asked for', async () => {
    const records = await episode(task(hard['an arrow that skips ranks']!), { numLayouts: 6 }, 6);
    expect(records.every(({ success }) => success)).toBe(true);
    expect(new Set(records.map(({ turns }) => turns[0]!.completion)).size).toBe(6);
  });

  it('the right graph badly, when asked for', async () => {
    const records = await episode(
      task({ nodes: nodes('A', 'B', 'C', 'D'), edges: edges('1>2', '1>3', '2>4', '3>4') }),
      { quality: 'mediocre' },
      20,
    );
    for (const { metrics, reward, success } of records) {
      expect([metrics['terms/valid'], metrics['terms/structure'], success]).toEqual([1, 1, false]);
      expect(reward).toBeLessThan(0.95);
      expect(reward).toBeGreaterThan(0.5);
    }
    const mean = records.reduce((sum, { reward }) => sum + reward, 0) / 20;
    expect(mean).toBeLessThan(0.85);
    expect(new Set(records.map(({ turns }) => turns[0]!.completion)).size).toBeGreaterThan(8);
  });

  it('nothing on a canvas that is too small, and says so', async () => {
    const rules = { ...defaultRules, canvasWidth: 100, canvasHeight: 100 };
    await expect(episode({ ...tiers, rules })).rejects.toThrow(
      '"hand-made": its graph fits on no 100×100 canvas',
    );
  });
});

describe('over several turns the scripted teacher', () => {
  it('finishes a good drawing at once, or mends its own draft', async () => {
    const records = await episode({ ...tiers, kind: 'draw-review' }, {}, 12);
    const lengths = new Set(records.map(({ turns }) => turns.length));
    expect(lengths).toEqual(new Set([1, 2]));
    for (const record of records) {
      expect(record.success).toBe(true);
      const last = actionsOf(record, record.turns.length - 1);
      expect(last.at(-1)).toEqual({ type: 'finish' });
      if (record.turns.length === 2)
        expect(last.every(({ type }) => /move|resize|finish/.test(String(type)))).toBe(true);
    }
  });

  it('builds up only what has been asked for so far', async () => {
    const graph = {
      nodes: nodes('Web', 'API cache', 'Queue', 'API'),
      edges: edges('1>2', '1>3', '2>4', '2>1'),
      groups: [{ id: 'g1', label: 'Cloud', members: ['n3', 'n4'] }],
    };
    const requests = [
      'Draw Web pointing to API cache and Queue.',
      'API cache points to API; Queue and API are in Cloud.',
      'And API cache points back to Web.',
    ];
    const [record] = await episode(task(graph, { kind: 'build-up', requests }));
    expect(record).toMatchObject({ success: true });
    const said = (turn: number): string[] =>
      actionsOf(record!, turn).map(({ text, from, to }) => String(text ?? `${String(from)}>${String(to)}`));
    expect(said(0)).toEqual(['Web', 'API cache', 'Queue', 'n1>n2', 'n1>n3']);
    expect(said(1)).toEqual(['Cloud', 'API', 'n2>n4']);
    expect(said(2)).toEqual(['n2>n1']);
  });

  const row: Canvas = {
    width: 1600,
    height: 1200,
    shapes: ['Client', 'Server', 'Queue'].map((text, index) => ({
      id: `n${index + 1}`,
      shape: 'rectangle',
      x: 60 + 240 * index,
      y: 60,
      width: 160,
      height: 60,
      text,
    })),
    edges: [
      { from: 'n1', to: 'n2', label: '' },
      { from: 'n2', to: 'n3', label: '' },
    ],
  };
  const edit = (
    graph: Partial<ExpectedGraph>,
    initial: Canvas,
    kind: 'edit' | 'repair' = 'edit',
  ): DiagramTask => task(graph, { kind, initial });

  it('renames, and touches nothing else', async () => {
    const graph = {
      nodes: nodes('Client', 'Gateway', 'Queue'),
      edges: edges('1>2', '2>3'),
      keep: ['n1', 'n3'],
    };
    const [record] = await episode(edit(graph, row));
    expect(record).toMatchObject({ success: true });
    expect(actionsOf(record!)).toEqual([{ type: 'update', id: 'n2', text: 'Gateway' }, { type: 'finish' }]);
  });

  it('makes room for a longer name', async () => {
    const label = 'Internationalisation gateway';
    const graph = { nodes: nodes('Client', label, 'Queue'), edges: edges('1>2', '2>3'), keep: ['n1', 'n3'] };
    const [record] = await episode(edit(graph, row));
    expect(record).toMatchObject({ success: true });
  });

  it('deletes, adds and rewires', async () => {
    const graph: Partial<ExpectedGraph> = {
      nodes: [
        { id: 'n1', label: 'Client' },
        { id: 'n3', label: 'Queue' },
        { id: 'n4', label: 'Ready?', shape: 'diamond' },
      ],
      edges: [
        { from: 'n3', to: 'n1' },
        { from: 'n1', to: 'n4', label: 'asks' },
      ],
      keep: ['n1', 'n3'],
    };
    const [record] = await episode(edit(graph, row));
    expect(record).toMatchObject({ success: true });
    expect(actionsOf(record!).map(({ type }) => type)).toEqual([
      'delete',
      'create',
      'connect',
      'connect',
      'finish',
    ]);
  });

  it('repairs overlaps, labels that do not fit, duplicates, and arrows the wrong way round', async () => {
    const [client, server, queue] = row.shapes;
    const broken: Canvas = {
      ...row,
      shapes: [client!, { ...server!, x: 160 }, { ...queue!, width: 40 }, { ...queue!, id: 'n9', x: 900 }],
      edges: [
        { from: 'n2', to: 'n1', label: '' },
        { from: 'n2', to: 'n3', label: '' },
      ],
    };
    const graph = { nodes: nodes('Client', 'Server', 'Queue'), edges: edges('1>2', '2>3') };
    const [record] = await episode(edit(graph, broken, 'repair'));
    expect(record).toMatchObject({ success: true });
    expect(record!.turns).toHaveLength(1);
  });

  it('adds a member to a group and stretches the frame', async () => {
    const framed: Canvas = {
      ...row,
      shapes: [
        { id: 'g1', shape: 'rectangle', x: 280, y: 10, width: 420, height: 130, text: 'Backend' },
        ...row.shapes,
      ],
    };
    const graph: Partial<ExpectedGraph> = {
      nodes: nodes('Client', 'Server', 'Queue', 'Worker'),
      edges: edges('1>2', '2>3', '3>4'),
      groups: [{ id: 'g1', label: 'Backend', members: ['n2', 'n3', 'n4'] }],
      keep: ['n1', 'n2', 'n3'],
    };
    const [record] = await episode(edit(graph, framed));
    expect(record).toMatchObject({ success: true });
  });
});
