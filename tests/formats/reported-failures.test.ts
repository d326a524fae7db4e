/** Failures of exported files that users reported, each as a test. The names say where they were seen. */
import { describe, expect, test } from 'vitest';
import { borderPoint } from 'posttrain/envs/diagram/geometry';
import { toExcalidraw, toJsonCanvas, toMermaid, toTldraw } from 'posttrain/formats';
import { arrow, box, canvasOf } from '../envs/build.js';
import { busy, realDrawings, small } from './canvases.js';

interface Element {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly points: readonly (readonly [number, number])[];
  readonly boundElements: readonly { readonly id: string; readonly type: string }[];
  readonly startBinding: { readonly elementId: string };
  readonly endBinding: { readonly elementId: string };
}
const elementsOf = (file: string): Element[] => (JSON.parse(file) as { elements: Element[] }).elements;

describe('Excalidraw', () => {
  test('the file says what it is (ExcaliDash#50)', () => {
    expect(JSON.parse(toExcalidraw(small))).toMatchObject({ type: 'excalidraw', version: 2, files: {} });
  });

  test('arrows name their shapes and shapes their arrows (excalidraw-diagram-skill#17, ExcalidrawZ#176)', () => {
    const elements = elementsOf(toExcalidraw(busy));
    const byId = new Map(elements.map((element) => [element.id, element]));
    const arrows = elements.filter(({ type }) => type === 'arrow');
    expect(arrows).toHaveLength(busy.edges.length);
    for (const { id, startBinding, endBinding } of arrows) {
      for (const { elementId } of [startBinding, endBinding]) {
        const backReferences = byId.get(elementId)!.boundElements.filter((bound) => bound.id === id);
        expect(backReferences).toEqual([{ id, type: 'arrow' }]);
      }
    }
  });

  test('labels are bound texts that follow their container, not a property (excalidraw-mcp#22, mcp_excalidraw#1)', () => {
    const elements = elementsOf(toExcalidraw(small));
    expect(elements.some((element) => 'label' in element)).toBe(false);
    expect(elements.map(({ id, containerId }) => containerId ?? id)).toEqual([
      'a',
      'a',
      'd',
      'd',
      't',
      'edge:0',
      'edge:0',
    ]);
  });

  test('end points lie on the borders of the shapes (excalidraw-skill#5)', () => {
    const canvas = canvasOf(
      box('a', [0, 0, 160, 60], 'A', 'ellipse'),
      box('b', [400, 300, 160, 100], 'B', 'diamond'),
      arrow('a>b'),
    );
    const [a, b] = canvas.shapes;
    const drawn = elementsOf(toExcalidraw(canvas)).at(-1)!;
    const [first, last] = [drawn.points[0]!, drawn.points.at(-1)!];
    expect(first).toEqual([0, 0]);
    const start = borderPoint(a!, { x: 480, y: 350 })!;
    const end = borderPoint(b!, { x: 80, y: 30 })!;
    expect([drawn.x, drawn.y]).toEqual([start.x, start.y].map((value) => expect.closeTo(value, 1)));
    expect([drawn.x + last[0], drawn.y + last[1]]).toEqual(
      [end.x, end.y].map((value) => expect.closeTo(value, 1)),
    );
  });

  test('the label of an arrow is no wider than its text (excalidraw-skill#4)', () => {
    const label = elementsOf(toExcalidraw(small)).at(-1)!;
    expect(label).toMatchObject({ containerId: 'edge:0', text: 'yes', width: 29 });
  });

  test('ids are unique, whatever the labels (langgraph#6036)', () => {
    for (const { canvas } of realDrawings) {
      const ids = elementsOf(toExcalidraw(canvas)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});

describe('Mermaid', () => {
  test('brackets and quotes cannot break the diagram (open-webui#20019, issue-tracker#185, marktext#4014)', () => {
    const canvas = canvasOf(
      box('end', [0, 0, 200, 60], 'f(x) {y}'),
      box('my-box', [400, 0, 200, 60], 'say "hi" <b>'),
      arrow('end>my-box', 'a|b'),
    );
    expect(toMermaid(canvas).split('\n')).toEqual([
      'flowchart LR',
      '  end_["f(x) {y}"]',
      '  my_box_["say #quot;hi#quot; #lt;b#gt;"]',
      '  end_ -->|"a|b"| my_box_',
      '',
    ]);
  });

  test('groups nest, and a box without label is written as a space', () => {
    const canvas = canvasOf(
      box('g', [0, 0, 600, 400], 'Outer'),
      box('h', [20, 60, 400, 200]),
      box('a', [40, 100, 100, 60], 'A', 'ellipse'),
    );
    expect(toMermaid(canvas).split('\n')).toEqual([
      'flowchart TB',
      '  subgraph g["Outer"]',
      '    subgraph h[" "]',
      '      a(["A"])',
      '    end',
      '  end',
      '',
    ]);
  });
});

test('line breaks are kept in every format (lavish-axi#246)', () => {
  const canvas = canvasOf(box('a', [0, 0, 300, 100], 'two words\nnext line'));
  expect(toExcalidraw(canvas)).toContain('"originalText": "two words\\nnext line"');
  expect(toJsonCanvas(canvas)).toContain('"text": "two words\\nnext line"');
  expect(toMermaid(canvas)).toContain('a["two words<br/>next line"]');
  expect(toTldraw(canvas).match(/"type": "paragraph"/g)).toHaveLength(2);
});

test('tldraw order keys go on after a9 with aA, not a10, and never end in 0', () => {
  const shapes = Array.from({ length: 4000 }, (_, i) => {
    return { id: `n${i}`, shape: 'rectangle', x: 0, y: 0, width: 20, height: 20, text: '' } as const;
  });
  const { records } = JSON.parse(toTldraw({ ...small, shapes, edges: [] })) as {
    records: { index: string }[];
  };
  const keys = records.slice(2).map(({ index }) => index);
  const places = [0, 8, 9, 34, 35, 60, 61, 121, 122, 3842, 3843];
  const wanted = ['a1', 'a9', 'aA', 'aZ', 'aa', 'az', 'b01', 'b0z', 'b11', 'bzz', 'c001'];
  expect(places.map((place) => keys[place])).toEqual(wanted);
  expect([...keys].sort()).toEqual(keys);
});
