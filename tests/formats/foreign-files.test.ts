/** Files that other programs, or people, wrote. */
import { describe, expect, test } from 'vitest';
import {
  fromExcalidraw,
  fromJsonCanvas,
  fromMermaid,
  fromSvg,
  fromTldraw,
  toExcalidraw,
  toTldraw,
} from 'posttrain/formats';
import { graphOf } from './graph.js';
import { small } from './canvases.js';

const excalidraw = (...elements: object[]): string =>
  JSON.stringify({ type: 'excalidraw', version: 2, elements });
const rectangle = (id: string, x: number, rest: object = {}): object => ({
  id,
  type: 'rectangle',
  x,
  y: 0,
  width: 100,
  height: 60,
  ...rest,
});

describe('fromExcalidraw', () => {
  test.each([
    ['released 0.18', { focus: 0.1, gap: 5 }],
    ['what follows it', { fixedPoint: [0.5, 0.5], mode: 'orbit' }],
  ])('reads the bindings of %s', (_generation, binding) => {
    const bound = {
      startBinding: { elementId: 'a', ...binding },
      endBinding: { elementId: 'b', ...binding },
    };
    const file = excalidraw(rectangle('a', 0), rectangle('b', 300), { id: 'e', type: 'arrow', ...bound });
    expect(fromExcalidraw(file)).toMatchObject({
      canvas: { edges: [{ from: 'a', to: 'b', label: '' }] },
      dropped: [],
    });
  });

  test('an arrow with its only head at the start points backwards', () => {
    const bound = { startBinding: { elementId: 'a' }, endBinding: { elementId: 'b' } };
    const heads = { startArrowhead: 'arrow', endArrowhead: null };
    const file = excalidraw(rectangle('a', 0), rectangle('b', 300), {
      id: 'e',
      type: 'arrow',
      ...bound,
      ...heads,
    });
    expect(fromExcalidraw(file).canvas.edges).toEqual([{ from: 'b', to: 'a', label: '' }]);
  });

  test('whole pixels, allowed ids, on the canvas, deleted elements left out', () => {
    const file = excalidraw(
      rectangle('-x/1', -150.4, { height: 3 }),
      rectangle('n1', 99.6),
      rectangle('gone', 0, { isDeleted: true }),
    );
    const { canvas, dropped } = fromExcalidraw(file);
    expect(canvas.shapes).toEqual([
      { id: 'n2', shape: 'rectangle', x: 40, y: 0, width: 100, height: 20, text: '' },
      { id: 'n1', shape: 'rectangle', x: 290, y: 0, width: 100, height: 60, text: '' },
    ]);
    expect(dropped).toEqual([]);
  });

  test('the canvas grows to hold what reaches beyond it', () => {
    expect(fromExcalidraw(excalidraw(rectangle('a', 0), rectangle('b', 3000))).canvas).toMatchObject({
      width: 3100,
      height: 1200,
    });
  });

  test('frames become rectangles; what a canvas cannot hold is named', () => {
    const file = excalidraw(
      { ...rectangle('f', 0), type: 'frame', name: 'Backend' },
      rectangle('a', 200, { angle: 1 }),
      { id: 'pen', type: 'freedraw' },
      { id: 'e', type: 'arrow', startBinding: { elementId: 'a' }, endBinding: null },
      { id: 'blank', type: 'text', x: 0, y: 0, text: ' ' },
    );
    const { canvas, dropped } = fromExcalidraw(file);
    expect(canvas.shapes.map(({ id, text }) => [id, text])).toEqual([
      ['f', 'Backend'],
      ['a', ''],
    ]);
    expect(dropped).toEqual([
      'the turn of rectangle a',
      'freedraw pen',
      'text blank shows nothing',
      'arrow e has no shape at its end',
    ]);
  });

  test.each([
    ['', /this is not an Excalidraw file: .*; save it once more/],
    ['{"elements":[]}', /this is not an Excalidraw file: type: /],
    [excalidraw(rectangle('a', 0, { width: 'wide' })), /elements\[0\]\.width: .*expected number/],
    [
      '{"type":"excalidraw","elements":[{"id":"a","type":"rectangle","x":1e999,"y":0,"width":1,"height":1}]}',
      /elements\[0\]\.x/,
    ],
  ])('refuses %j in one sentence', (file, message) => {
    expect(() => fromExcalidraw(file)).toThrow(message);
  });
});

describe('fromTldraw', () => {
  type File = { records: { typeName: string; id: string; type: string; props: Record<string, unknown> }[] };
  const changed = (change: (file: File) => void): string => {
    const file = JSON.parse(toTldraw(small)) as File;
    change(file);
    return JSON.stringify(file);
  };

  test('reads older files: plain text, and ends inside the arrow', () => {
    const file = changed(({ records }) => {
      records.splice(0, records.length, ...records.filter(({ typeName }) => typeName !== 'binding'));
      for (const { type, props } of records.filter(({ typeName }) => typeName === 'shape')) {
        delete props['richText'];
        props['text'] = 'old';
        if (type === 'arrow') {
          props['start'] = { type: 'binding', boundShapeId: 'shape:a' };
          props['end'] = { type: 'binding', boundShapeId: 'shape:d' };
        }
      }
    });
    const { canvas, dropped } = fromTldraw(file);
    expect(canvas.edges).toEqual([{ from: 'a', to: 'd', label: 'old' }]);
    expect(canvas.shapes.map(({ text }) => text)).toEqual(['old', 'old', 'old']);
    expect(dropped).toEqual([]);
  });

  test('outlines that a canvas lacks become rectangles and are named; dangling bindings are no ends', () => {
    const file = changed(({ records }) => {
      records.find(({ id }) => id === 'shape:d')!.props['geo'] = 'cloud';
      (records.at(-1) as unknown as { toId: string }).toId = 'shape:nobody';
    });
    const { canvas, dropped } = fromTldraw(file);
    expect(canvas.shapes[1]?.shape).toBe('rectangle');
    expect(dropped).toEqual(['the outline cloud of d', 'arrow edge:0 has no shape at its end']);
  });

  test.each([
    ['[]', /this is not a tldraw file/],
    ['{"tldrawFileFormatVersion":1,"records":[]}', /it has no page/],
    ['{"tldrawFileFormatVersion":2,"records":[]}', /tldrawFileFormatVersion/],
  ])('refuses %j', (file, message) => {
    expect(() => fromTldraw(file)).toThrow(message);
  });
});

describe('fromJsonCanvas', () => {
  test('reads what Obsidian writes', () => {
    const node = { x: -10, y: 0, width: 250, height: 60 };
    const { canvas, dropped } = fromJsonCanvas(
      JSON.stringify({
        nodes: [
          { id: '0a1b', type: 'text', text: '# Plan', ...node },
          { id: 'f', type: 'file', file: 'Notes/a.md', ...node },
          { id: 'g', type: 'group', label: 'Sources', ...node },
        ],
        edges: [
          { id: 'e', fromNode: '0a1b', fromSide: 'right', toNode: 'f', toSide: 'left', toEnd: 'arrow' },
        ],
      }),
    );
    expect(canvas.shapes.map(({ id, shape, x, text }) => [id, shape, x, text])).toEqual([
      ['n1', 'rectangle', 40, '# Plan'],
      ['f', 'rectangle', 40, 'Notes/a.md'],
      ['g', 'rectangle', 40, 'Sources'],
    ]);
    expect(canvas.edges).toEqual([{ from: 'n1', to: 'f', label: '' }]);
    expect(dropped).toEqual(['the content of file f']);
  });
});

describe('fromMermaid', () => {
  test('reads the part of the language that its file lists', () => {
    const { canvas, dropped } = fromMermaid(`%% made by hand
      graph TD;
      A[Start] --> B{OK?}; B -- yes --> C([Done]) & D((Stop))
      B -.->|"no; again"| A
      subgraph back [Back end]
        direction LR
        D ==> E("x<br>y")
      end
      C --- back
      style A fill:#f00`);
    expect(dropped).toEqual([]);
    expect(graphOf(canvas)).toEqual({
      shapes: [
        '["diamond","OK?"]',
        '["ellipse","Done"]',
        '["ellipse","Stop","Back end"]',
        '["rectangle","Back end"]',
        '["rectangle","Start"]',
        '["rectangle","x\\ny","Back end"]',
      ],
      arrows: [
        '["Done","Back end",""]',
        '["OK?","Done","yes"]',
        '["OK?","Start","no; again"]',
        '["OK?","Stop","yes"]',
        '["Start","OK?",""]',
        '["Stop","x\\ny",""]',
      ],
    });
  });

  test.each([
    ['', /Mermaid line 1: expected "flowchart LR"/],
    ['sequenceDiagram\nA->>B: hi', /Mermaid line 1: .*other diagrams are not read/],
    [
      'flowchart LR\na[f(x)]',
      /Mermaid line 2: expected a link such as -->, but found "\[f\(x\)\]"; quote labels/,
    ],
    ['flowchart LR\na -->', /Mermaid line 2: expected the id of a shape, but the line ends/],
    ['flowchart LR\nend', /"end" without a subgraph/],
    ['flowchart LR\nsubgraph g', /subgraph g has no end/],
  ])('refuses %j with the number of the line', (source, message) => {
    expect(() => fromMermaid(source)).toThrow(message);
  });
});

describe('fromSvg', () => {
  test.each([
    ['<svg></svg>', /has no canvas in its <metadata>/],
    ['<svg><metadata>{}</metadata></svg>', /metadata\.width/],
    ['<svg><metadata>x</metadata></svg>', /this is not an SVG with a canvas in it/],
    [
      '<svg><metadata>{"width":9,"height":9,"shapes":[],"edges":[{"from":"a","to":"b","label":""}]}</metadata></svg>',
      /an arrow ends at a shape that does not exist/,
    ],
  ])('refuses %j', (source, message) => {
    expect(() => fromSvg(source)).toThrow(message);
  });
});

test('a canvas whose arrow has no shape is refused, not written', () => {
  const canvas = { ...small, edges: [{ from: 'a', to: 'nobody', label: '' }] };
  expect(() => toExcalidraw(canvas)).toThrow(/arrow a>nobody ends at a shape that does not exist/);
});
