import { expect, it } from 'vitest';
import { createOutputs } from 'posttrain/notebook/collect-outputs';
import type { CellMessage } from 'posttrain/notebook/messages';

const text = (text: string, name: 'stdout' | 'stderr' = 'stdout'): CellMessage => ({
  msg_type: 'stream',
  content: { name, text },
});
const shown = (text: string, id: string, update = false): CellMessage => ({
  msg_type: update ? 'update_display_data' : 'display_data',
  content: { data: { 'text/plain': text }, metadata: {}, transient: { display_id: id } },
});
const collected = (...messages: CellMessage[]): unknown => {
  const outputs = createOutputs();
  for (const message of messages) outputs.take('a', message);
  return outputs.of('a');
};
const stream = (text: string, name = 'stdout'): object => ({ output_type: 'stream', name, text });

it('joins text of one stream, and keeps the order of two', () => {
  expect(collected(text('a'), text('b\n'), text('e', 'stderr'), text('c'))).toEqual([
    stream('ab\n'),
    stream('e', 'stderr'),
    stream('c'),
  ]);
});

it('writes over a line after a carriage return', () => {
  expect(collected(text('start\n10 %\r'), text('20 %\r'), text('30 %\n'))).toEqual([stream('start\n30 %\n')]);
});

it('updates a display wherever it is, also from another cell', () => {
  const outputs = createOutputs();
  outputs.take('a', shown('one', 'x'));
  outputs.take('b', shown('also', 'x'));
  outputs.take('b', shown('other', 'y'));
  outputs.take('c', shown('two', 'x', true));
  const data = (cell: string): unknown => outputs.of(cell).map((output) => 'data' in output && output.data);
  expect([data('a'), data('b'), data('c')]).toEqual([
    [{ 'text/plain': 'two' }],
    [{ 'text/plain': 'two' }, { 'text/plain': 'other' }],
    [],
  ]);
});

it('clears at once, or when something follows', () => {
  const clear = (wait: boolean): CellMessage => ({ msg_type: 'clear_output', content: { wait } });
  expect(collected(text('a'), clear(false))).toEqual([]);
  expect(collected(text('a'), clear(true))).toEqual([stream('a')]);
  expect(collected(text('a'), clear(true), text('b'))).toEqual([stream('b')]);
  expect(collected(text('a'), clear(true), shown('b', 'x'), text('c'))).toHaveLength(2);
});
