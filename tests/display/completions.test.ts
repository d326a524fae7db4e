import { describe, expect, it } from 'vitest';
import { cellWidth, type CompletionRow, completionsToHtml, completionsToText } from 'posttrain/display';

const row: CompletionRow = {
  taskId: 'train/7',
  reward: 0.81249,
  rewards: { success: 1, soft_f1: 0.5 },
  advantage: -1.2,
  stopReason: 'completed',
  segments: [
    { role: 'prompt', text: '<|user|>draw\n' },
    { role: 'trained', text: '{"x": 1}' },
    { role: 'environment', text: 'again' },
    { role: 'masked', text: '</script>' },
  ],
};

describe('completions in a terminal', () => {
  it('are told apart by brackets where there is no colour', () => {
    expect(completionsToText([row], { width: 60, color: false }))
      .toBe(`‹prompt›  trained  «environment»  ⟦sampled, not trained⟧

train/7 (completed)
  ‹<|user|>draw›
  {"x": 1}
  «again»
  ⟦</script>⟧
reward 0.812  advantage -1.2  success 1  soft_f1 0.5`);
  });

  it('are told apart by colours where there are', () => {
    const text = completionsToText([row], { width: 60, color: true });
    expect(text).toContain('\u001b[32m{"x": 1}\u001b[0m');
    expect(text).toContain('\u001b[2m<|user|>draw\u001b[0m');
    expect(text).not.toContain('‹');
  });

  it('never are wider than the terminal, wide characters counted double, and lose nothing', () => {
    const text = '一个很长的请求没有空格'.repeat(9) + ' and words with blanks between them '.repeat(5);
    const long = { ...row, segments: [{ role: 'trained', text } as const] };
    const lines = completionsToText([long], { width: 40, color: false }).split('\n');
    expect(Math.max(...lines.map(cellWidth))).toBeLessThanOrEqual(40);
    const shown = lines.slice(3, -1).join('').replaceAll(' ', '');
    expect(shown.startsWith(text.replaceAll(' ', ''))).toBe(true);
  });

  it('show a reward that could not be given', () => {
    expect(completionsToText([{ ...row, reward: null }], { width: 60, color: false })).toContain('reward –');
  });
});

describe('completions on a page', () => {
  it('escape every text and give each number its column', () => {
    const html = completionsToHtml([row, { ...row, rewards: { other: 2 } }]);
    expect(html).not.toContain('</script>');
    expect(html).toContain('<span class="masked" title="sampled, not trained">&lt;/script&gt;</span>');
    const heads = [...html.matchAll(/<th[^>]*>([^<]*)<\/th>/g)].map(([, name]) => name);
    expect(heads).toEqual([
      'task',
      'reward',
      'advantage',
      'completion',
      'stop',
      'success',
      'soft_f1',
      'other',
    ]);
    const rows = html.split('<tr>').slice(2);
    expect(rows.map((cells) => cells.match(/<td/g)?.length)).toEqual([heads.length, heads.length]);
  });
});
