import { describe, expect, it } from 'vitest';
import { cellWidth } from 'posttrain/display/cells';
import { createLive } from 'posttrain/display/live';
import { plainLine, runLines, type RunView } from 'posttrain/display/progress';
import { sparkline } from 'posttrain/display/sparkline';
import { createStyle, wantsColor } from 'posttrain/display/style';

const view: RunView = {
  stages: [
    { name: 'SFT', state: 'done' },
    { name: 'GRPO', state: 'active' },
    { name: 'evaluation', state: 'waiting' },
  ],
  step: 30,
  totalSteps: 120,
  elapsedMs: 60_000,
  remainingMs: 180_000,
  headline: [
    { name: 'reward', value: '0.61' },
    { name: 'success', value: '42 %' },
  ],
  trend: [0.1, 0.5, 0.9],
  drawing: { caption: 'Three tiers: Browser, API, Database', good: true, lines: ['┌─┐', '└─┘'] },
};

function recorder(isTTY: boolean): {
  text: () => string;
  output: { write(t: string): void; isTTY: boolean; columns: number };
} {
  let text = '';
  return { text: () => text, output: { write: (t) => void (text += t), isTTY, columns: 80 } };
}

describe('runLines', () => {
  it('shows stages, progress, numbers, trend and the newest drawing', () => {
    expect(runLines(view, 79, createStyle(false))).toEqual([
      'SFT ✓ → GRPO → evaluation',
      '██████░░░░░░░░░░░░░░░░░░ 25 %  step 30 of 120, 3 min 00 s left',
      'reward 0.61   success 42 %  ▁▅█',
      '✓ Three tiers: Browser, API, Database',
      '┌─┐',
      '└─┘',
    ]);
  });

  it.each([40, 50, 79])('never take more than %d cells', (width) => {
    const stages = ['teacher', 'SFT', 'GRPO', 'evaluation', 'report'].map(
      (name) => ({ name, state: 'done' }) as const,
    );
    const caption = 'Boxes:\n- Browser -> API\n- API -> Database';
    const lines = runLines(
      { ...view, stages, drawing: { ...view.drawing!, caption } },
      width,
      createStyle(false),
    );
    for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.join('\n')).toContain('Boxes: - Browser');
  });

  it('is one line without a terminal', () => {
    expect(plainLine(view)).toBe('GRPO: step 30 of 120, reward 0.61, success 42 %, 3 min 00 s left');
  });
});

describe('createLive', () => {
  it('repaints in place on a terminal', () => {
    const { text, output } = recorder(true);
    let clock = 0;
    const live = createLive({ output, color: false, now: () => clock });
    live.show(view);
    clock += 1000;
    live.show({ ...view, step: 31 });
    expect(text().split('\u001b[6A\r\u001b[J')).toHaveLength(2);
  });

  it('drops views that come too fast, but never the last', () => {
    const { text, output } = recorder(true);
    const live = createLive({ output, color: false, now: () => 0 });
    live.show(view);
    live.show({ ...view, step: 77 });
    expect(text()).not.toContain('step 77');
    live.close();
    expect(text()).toContain('step 77');
  });

  it('prints above the view, and leaves the view standing', () => {
    const { text, output } = recorder(true);
    const live = createLive({ output, color: false, now: () => 0 });
    live.show(view);
    live.print('Stopping');
    live.close();
    expect(text().slice(text().indexOf('Stopping'))).toBe(
      `Stopping\n${runLines(view, 79, createStyle(false)).join('\n')}\n`,
    );
    live.print('Stopped');
    expect(text().endsWith('└─┘\nStopped\n')).toBe(true);
  });

  it('writes plain lines to a log, some seconds apart', () => {
    const { text, output } = recorder(false);
    let clock = 0;
    const live = createLive({ output, color: false, now: () => clock, plainEveryMs: 5000 });
    for (let step = 0; step < 12; step += 1) {
      live.show({ ...view, step });
      clock += 1000;
    }
    live.close();
    expect(
      text()
        .split('\n')
        .map((line) => line.slice(0, 15)),
    ).toEqual(['GRPO: step 0 of', 'GRPO: step 5 of', 'GRPO: step 10 o', 'GRPO: step 11 o', '']);
    expect(text()).not.toContain('\u001b');
  });
});

describe('colour', () => {
  it('needs a terminal and respects NO_COLOR', () => {
    expect(wantsColor(true, {})).toBe(true);
    expect(wantsColor(false, {})).toBe(false);
    expect(wantsColor(true, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColor(true, { NO_COLOR: '' })).toBe(true);
    expect(wantsColor(true, { TERM: 'dumb' })).toBe(false);
    expect(createStyle(true).good('x')).toBe('\u001b[32mx\u001b[0m');
  });
});

describe('sparkline', () => {
  it('scales to what is in view', () => {
    expect(sparkline([9, 0, 1, 2], 3)).toBe('▁▅█');
    expect(sparkline([1, 1], 5)).toBe('▁▁');
    expect(sparkline([NaN], 5)).toBe('');
  });
});
