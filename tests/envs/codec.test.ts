import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actionPieces, serializeActions } from 'posttrain/envs/diagram/codec';
import { parseActions } from 'posttrain/envs/diagram/parse';
import type { Action } from 'posttrain/envs/diagram/types';
import { actionLists } from './arbitraries.js';
import { arrow, box, note } from './build.js';

/** Leftmost-longest matching: pieces, and the text between them. */
function segment(text: string): string[] {
  const longestFirst = [...actionPieces].sort((a, b) => b.length - a.length);
  const segments: string[] = [];
  let between = '';
  for (let i = 0; i < text.length;) {
    const piece = longestFirst.find((candidate) => text.startsWith(candidate, i));
    if (piece === undefined) {
      between += text[i++];
      continue;
    }
    if (between !== '') segments.push(between);
    between = '';
    segments.push(piece);
    i += piece.length;
  }
  return between === '' ? segments : [...segments, between];
}

describe('serializeActions', () => {
  test('writes keys in canonical order, without spaces, whatever the order they were given in', () => {
    const shuffled: Action[] = [
      {
        text: 'API "v2"',
        height: 60,
        width: 160,
        y: 40,
        x: 100,
        id: 'n1',
        shape: 'rectangle',
        type: 'create',
      },
      { text: '注释', y: 0, x: 0, id: 'n2', shape: 'text', type: 'create' },
      { label: 'yes', to: 'n1', from: 'n1', type: 'connect' },
      { text: 'Store', id: 'n1', type: 'update' },
      { y: 1, x: 2, id: 'n1', type: 'move' },
      { height: 30, width: 20, id: 'n1', type: 'resize' },
      { id: 'n1', type: 'delete' },
      { to: 'n2', from: 'n1', type: 'disconnect' },
      { type: 'finish' },
    ];
    expect(serializeActions(shuffled)).toBe(
      '{"actions":[' +
        '{"type":"create","shape":"rectangle","id":"n1","x":100,"y":40,"width":160,"height":60,"text":"API \\"v2\\""},' +
        '{"type":"create","shape":"text","id":"n2","x":0,"y":0,"text":"注释"},' +
        '{"type":"connect","from":"n1","to":"n1","label":"yes"},' +
        '{"type":"update","id":"n1","text":"Store"},' +
        '{"type":"move","id":"n1","x":2,"y":1},' +
        '{"type":"resize","id":"n1","width":20,"height":30},' +
        '{"type":"delete","id":"n1"},' +
        '{"type":"disconnect","from":"n1","to":"n2"},' +
        '{"type":"finish"}]}',
    );
    expect(serializeActions([])).toBe('{"actions":[]}');
  });

  test('is undone by the parser', () => {
    fc.assert(
      fc.property(actionLists, (actions) => {
        expect(parseActions(serializeActions(actions))).toEqual({ ok: true, actions });
      }),
      { numRuns: 500 },
    );
  });
});

describe('actionPieces', () => {
  test('make a labelled create 13 tokens and a connect 5, when ids, numbers and labels are one each', () => {
    const reply = serializeActions([
      box('n1', [60, 60, 160, 80], 'API'),
      arrow('n1>n2'),
      arrow('n2>n1', 'reads'),
    ]);
    expect(segment(reply)).toEqual([
      '{"actions":[',
      ...[
        '{"type":"create","shape":"rectangle","id":"n',
        '1',
        '","x":',
        '60',
        ',"y":',
        '60',
        ',"width":',
        '160',
      ],
      ...[',"height":', '80', ',"text":"', 'API', '"},'],
      ...['{"type":"connect","from":"n', '1', '","to":"n', '2', '"},'],
      ...['{"type":"connect","from":"n', '2', '","to":"n', '1', '","label":"', 'reads', '"}]}'],
    ]);
  });

  test('leave nothing but ids, numbers and labels between them, for any ids and every action', () => {
    const actions: Action[] = [
      box('api', [0, 10, 20, 30], undefined, 'ellipse'),
      box('n2', [0, 10, 20, 30], 'two', 'diamond'),
      note('title', 0, 0, 'Title'),
      arrow('api>n2', 'uses'),
      { type: 'update', id: 'api', text: 'Store' },
      { type: 'move', id: 'n2', x: 40, y: 50 },
      { type: 'resize', id: 'api', width: 60, height: 70 },
      { type: 'delete', id: 'title' },
      { type: 'disconnect', from: 'n2', to: 'api', label: 'uses' },
      { type: 'finish' },
    ];
    const between = segment(serializeActions(actions)).filter((part) => !actionPieces.includes(part));
    expect(between.filter((part) => /[{}":,[\]]/.test(part))).toEqual([]);
    for (const last of actions) {
      const parts = segment(serializeActions([last])).filter((part) => !actionPieces.includes(part));
      expect(parts.filter((part) => /[{}":,[\]]/.test(part))).toEqual([]);
    }
  });

  test('are all different', () => {
    expect(new Set(actionPieces).size).toBe(actionPieces.length);
  });
});
