/** Failures that users of diagram tools reported, each as a test. The names say where they were seen. */
import { describe, expect, test } from 'vitest';
import { applyActions, emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import { center, overlapArea } from 'posttrain/envs/diagram/geometry';
import { readCanvas } from 'posttrain/envs/diagram/hierarchy';
import { lint } from 'posttrain/envs/diagram/lint';
import { describeProblem } from 'posttrain/envs/diagram/observation';
import { parseActions } from 'posttrain/envs/diagram/parse';
import { drawEdges } from 'posttrain/envs/diagram/routes';
import { renderSvg } from 'posttrain/envs/diagram/svg';
import { labelFits, labelLines } from 'posttrain/envs/diagram/text-metrics';
import type { Action, Canvas } from 'posttrain/envs/diagram/types';
import { arrow, box, canvasOf, note, taskOf } from './build.js';
import { readXml } from './well-formed.js';

const lintsOf = (canvas: Canvas): string[] => lint(canvas).map(describeProblem);

/** Through the whole path of a reply: written, parsed, run, drawn, read back. */
function drawnTexts(...actions: Action[]): string[] {
  const parsed = parseActions(serializeActions(actions));
  if (!parsed.ok) throw new Error(parsed.problem.code);
  const svg = renderSvg(applyActions(emptyCanvas(), parsed.actions).canvas);
  return readXml(svg)
    .filter(({ name }) => name === 'tspan')
    .map(({ text }) => text);
}

describe('text', () => {
  test.each([
    'f(x)',
    'arr[mid]',
    'inlet()',
    ':8443',
    'a{b}|c',
    '“高位：有货？”',
    '（审核）',
    'A & B <c> "d" \'e\'',
    '#quot; end',
    'C:\\dir',
  ])(
    'the label %j survives from reply to picture (excalidraw#10562, open-webui#20019, dify#20713)',
    (label) => {
      expect(drawnTexts(box('n1', [0, 0, 400, 60], label))).toEqual([label]);
    },
  );

  test('ten Han characters need 160 px and the padding; a pixel less and they do not fit (excalidraw#12103)', () => {
    const label = '一二三四五六七八九十';
    expect(labelFits({ shape: 'rectangle', width: 170, height: 30, text: label })).toBe(true);
    expect(labelFits({ shape: 'rectangle', width: 169, height: 30, text: label })).toBe(false);
  });

  test('ids are ASCII, so that labels of other scripts cannot make them collide (langgraph#6036)', () => {
    const parsed = parseActions(
      '{"actions":[{"type":"create","shape":"rectangle","id":"开始","x":0,"y":0,"width":20,"height":20}]}',
    );
    expect(parsed.ok && parsed.actions).toEqual([{ code: 'E_ID', subjects: [], actionIndex: 0 }]);
    const canvas = canvasOf(box('n1', [0, 0, 100, 60], '开始'), box('n2', [200, 0, 100, 60], '结束'));
    expect(canvas.shapes.map(({ text }) => text)).toEqual(['开始', '结束']);
  });

  test('wrapped text never makes its box grow over a neighbour (tldraw-offline#85)', () => {
    const canvas = canvasOf(
      box('a', [0, 0, 100, 40], 'a rather long label'),
      box('b', [0, 70, 100, 40], 'B'),
    );
    expect(canvas.shapes[0]).toMatchObject({ width: 100, height: 40 });
    expect(lintsOf(canvas)).toEqual(['W_TEXT_FIT a']);
  });

  test('a diamond holds half as much text as its box (flowchart-fun#231)', () => {
    const size = { width: 160, height: 100, text: 'Is it in stock?' };
    expect(labelFits({ ...size, shape: 'rectangle' })).toBe(true);
    expect(labelFits({ ...size, height: 80, shape: 'diamond' })).toBe(false);
    expect(labelFits({ ...size, width: 308, shape: 'diamond' })).toBe(true);
  });

  test('twenty characters are kept whole, never cut with an ellipsis (mcp-server-chart#147)', () => {
    const label = 'Configuration server';
    expect(label.length).toBe(20);
    expect(labelLines({ shape: 'rectangle', width: 100, height: 60, text: label }).join(' ')).toBe(label);
    expect(drawnTexts(box('n1', [0, 0, 100, 60], label)).join(' ')).toBe(label);
  });

  test('line breaks are kept and words stay apart (lavish-axi#246)', () => {
    expect(drawnTexts(box('n1', [0, 0, 300, 100], 'two words\nnext line'))).toEqual([
      'two words',
      'next line',
    ]);
  });

  test('the picture uses text elements only (future-architect#2312, mermaid#790)', () => {
    const svg = renderSvg(canvasOf(box('a', [0, 0, 100, 60], 'A'), note('t', 0, 100, 'note')));
    expect(svg).not.toMatch(/foreignObject|<div|href|<style/);
  });
});

describe('arrows', () => {
  const a = box('a', [0, 0, 160, 60], 'A');
  const b = box('b', [400, 0, 160, 60], 'B');

  test('without two existing ends it is an error and never drawn (excalidraw-mcp#33)', () => {
    const { canvas, log } = applyActions(emptyCanvas(), [a, arrow('a>b'), arrow('x>y')]);
    expect(log.errors.map(({ code }) => code)).toEqual(['E_DANGLING', 'E_DANGLING']);
    expect(renderSvg(canvas)).not.toContain('marker-end');
  });

  test('points where it was told to (kubernetes/website#48500)', () => {
    const there = drawEdges(canvasOf(a, b, arrow('a>b')))[0]!;
    const back = drawEdges(canvasOf(a, b, arrow('b>a')))[0]!;
    expect(there.segments[0]).toEqual({ start: { x: 160, y: 30 }, end: { x: 400, y: 30 } });
    expect(back.segments[0]).toEqual({ start: { x: 400, y: 30 }, end: { x: 160, y: 30 } });
  });

  test('its label is no wider than its text (excalidraw-skill#4)', () => {
    const canvas = canvasOf(a, b, arrow('a>b', 'yes'));
    expect(drawEdges(canvas)[0]?.labelBox?.width).toBe(29);
    const chip = readXml(renderSvg(canvas)).find(({ attributes }) => attributes['fill'] === '#f4f6fa');
    expect(Number(chip?.attributes['width'])).toBeLessThanOrEqual(29);
  });

  test('opposite arrows and their labels do not coincide (mmdflux#222, sigma.js#811, JetUML#114)', () => {
    const places: readonly (readonly [number, number])[] = [
      [400, 0],
      [0, 400],
      [300, 300],
      [200, 0],
    ];
    for (const [x, y] of places) {
      const canvas = canvasOf(
        box('off', [0, 0, 160, 80], 'Lock off', 'ellipse'),
        box('on', [x, y, 160, 80], 'Lock on', 'ellipse'),
        arrow('off>on', 'key pressed'),
        arrow('on>off', 'key pressed'),
      );
      const [there, back] = drawEdges(canvas);
      expect(overlapArea(there!.labelBox!, back!.labelBox!)).toBe(0);
      expect(there!.segments[0]!.start).not.toEqual(back!.segments[0]!.end);
    }
  });

  test('the same arrow twice is an error: one would hide the other (JetUML#114)', () => {
    const { log } = applyActions(emptyCanvas(), [
      a,
      b,
      arrow('a>b', 'x'),
      arrow('a>b', 'x'),
      arrow('a>b', 'y'),
    ]);
    expect(log.errors.map(({ code, actionIndex }) => [code, actionIndex])).toEqual([['E_DUP_EDGE', 3]]);
  });

  test('self-loops on one shape are drawn apart (mermaid#6132)', () => {
    const paths = readXml(renderSvg(canvasOf(a, arrow('a>a', 'retry'), arrow('a>a', 'wait'))))
      .filter(({ attributes }) => 'marker-end' in attributes)
      .map(({ attributes }) => attributes['d']);
    expect(new Set(paths).size).toBe(2);
  });

  test('through a foreign box it is reported (dreamcontext#81, mingrammer/diagrams#811)', () => {
    expect(lintsOf(canvasOf(a, box('m', [200, 0, 160, 60], 'M'), b, arrow('a>b')))).toEqual([
      'W_THROUGH a>b m',
    ]);
  });

  test('a decision with one exit or an unlabelled one is reported (Claude-Patent-Creator#60)', () => {
    const decision = box('d', [200, 200, 160, 100], 'OK?', 'diamond');
    expect(lintsOf(canvasOf(a, b, decision, arrow('d>a', 'yes')))).toEqual(['W_DECISION_EXITS d']);
    expect(lintsOf(canvasOf(a, b, decision, arrow('d>a', 'yes'), arrow('d>b')))).toEqual([
      'W_DECISION_EXITS d',
    ]);
    expect(lintsOf(canvasOf(a, b, decision, arrow('d>a', 'yes'), arrow('d>b', 'no')))).toEqual([]);
  });
});

describe('changes', () => {
  const start = canvasOf(
    box('w', [60, 60, 140, 60], '网页'),
    box('q', [280, 60, 140, 60], '队列'),
    box('k', [500, 60, 140, 60], '工作进程'),
    arrow('w>q'),
    arrow('q>k'),
    arrow('w>k', 'x'),
  );

  test('a duplicate id is refused and the canvas stays as it was (next-ai-draw-io#147)', () => {
    const { canvas, log } = applyActions(start, [box('q', [0, 300, 100, 60], 'again')]);
    expect(log.errors).toEqual([{ code: 'E_DUP_ID', subjects: ['q'], actionIndex: 0 }]);
    expect(canvas).toEqual(start);
  });

  test('a finished batch applied a second time reports errors and doubles nothing (next-ai-draw-io#271)', () => {
    const batch = [
      box('a', [0, 0, 100, 60]),
      box('b', [200, 0, 100, 60]),
      arrow('a>b'),
      note('t', 0, 100, 'x'),
    ];
    const once = applyActions(emptyCanvas(), batch);
    const twice = applyActions(once.canvas, batch);
    expect(twice.canvas).toEqual(once.canvas);
    expect(twice.log.errors.map(({ code }) => code)).toEqual([
      'E_DUP_ID',
      'E_DUP_ID',
      'E_DUP_EDGE',
      'E_DUP_ID',
    ]);
  });

  test('delete leaves no orphan arrows and touches nothing else (next-ai-draw-io#451)', () => {
    const { canvas } = applyActions(start, [{ type: 'delete', id: 'q' }]);
    expect(canvas.shapes).toEqual([start.shapes[0], start.shapes[2]]);
    expect(canvas.edges).toEqual([{ from: 'w', to: 'k', label: 'x' }]);
  });

  test('one bad edit does not lose the rest of the batch (drawio2go#39)', () => {
    const { canvas, log } = applyActions(start, [
      { type: 'update', id: 'nobody', text: 'x' },
      { type: 'update', id: 'q', text: '缓冲' },
    ]);
    expect(log).toMatchObject({ actions: 2, valid: 1 });
    expect(canvas.shapes[1]?.text).toBe('缓冲');
  });

  test('the text of a box moves with it (mcp_excalidraw#26)', () => {
    const canvas = canvasOf(box('a', [0, 0, 160, 60]), note('t', 20, 20, 'Name'));
    const moved = applyActions(canvas, [{ type: 'move', id: 'a', x: 500, y: 300 }]).canvas;
    expect(readCanvas(moved)[0]?.label).toBe('Name');
    const [shape, text] = moved.shapes;
    expect(center(text!).x - center(shape!).x).toBe(
      center(canvas.shapes[1]!).x - center(canvas.shapes[0]!).x,
    );
  });

  test('the policy reads a table, not JSON (OpenDiagram#71)', () => {
    const scorer = () => ({ reward: 0, success: false, terms: {} });
    const task = taskOf({ kind: 'edit', initial: start, requests: ['删除队列。'] });
    const observation = diagramEnvironment({ scorer }).start(task).initialObservation();
    expect(observation).toContain('q rect 280,60 140x60 队列\n');
    expect(observation).not.toMatch(/[{}"]/);
    expect(observation.length).toBeLessThan(JSON.stringify(start).length);
  });
});
