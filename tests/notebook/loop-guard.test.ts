import { expect, it } from 'vitest';
import { guardLoops, installLoopGuard } from 'posttrain/notebook/loop-guard.node';

const stop = new Int32Array(1);
installLoopGuard(stop, () => {
  throw new Error('stopped');
});
const run = (code: string): unknown => new Function(guardLoops(code))();

it.each([
  'for (;;);',
  'while (true) {}',
  'do ; while (true)',
  'outer: for (;;) { for (const x of [1]) continue outer; }',
  'for (const x of [1]) for (const k in { a: 1 }) while (true) 0;',
  'const f = () => { let i = 0; while (true) i++; }; f();',
])('stops %s', (code) => {
  stop[0] = 1;
  expect(() => run(code)).toThrow('stopped');
});

it('leaves the meaning and the lines as they are', () => {
  const code = `let total = 0;
for (let i = 0; i < 3; i++) total += i;
for (const [a, b] of [[1, 2]]) {
  if (a) total += b;
}
if (total) for (const k in { x: 1 }) total += k.length; else total = -1;
return total;`;
  stop[0] = 0;
  expect(run(code)).toBe(6);
  expect(guardLoops(code).split('\n')).toHaveLength(code.split('\n').length);
});
