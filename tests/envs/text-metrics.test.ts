import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  innerArea,
  isVisible,
  labelFits,
  labelLines,
  lineWidth,
  textSize,
  wrapLabel,
} from 'posttrain/envs/diagram/text-metrics';

describe('lineWidth', () => {
  test.each([
    ['', 0],
    ['API', 28.8],
    ['用户数据', 64],
    ['API网关', 28.8 + 32],
    ['（：）', 48],
    ['ｆｕｌｌ', 64],
    ['カナ', 32],
    ['한글', 32],
    ['👍', 16],
    ['✅', 16],
    ['→', 9.6],
    ['é', 9.6],
    ['e\u0301', 9.6],
    ['a\u200bb', 19.2],
    ['a\u00adb', 19.2],
    ['👩\u200d💻', 32],
    ['Ünïcödé', 67.2],
  ])('%j is %d px wide', (text, width) => {
    expect(lineWidth(text)).toBeCloseTo(width, 10);
  });

  test('adds up without drift: ten letters are exactly 96 px', () => {
    expect(lineWidth('abcdefghij')).toBe(96);
  });
});

describe('isVisible', () => {
  test.each(['', ' ', '\n', '\u200b\u200d', '\u2060\ufeff', '\u0301', '\u3164', '\u00a0 \u3000'])(
    '%j shows nothing',
    (text) => {
      expect(isVisible(text)).toBe(false);
    },
  );
  test.each(['a', ' x ', '\u200bx', '。', '👍'])('%j shows something', (text) =>
    expect(isVisible(text)).toBe(true),
  );
});

describe('wrapLabel', () => {
  test.each([
    ['Enter credentials', 170, ['Enter credentials']],
    ['Enter credentials', 163.2, ['Enter credentials']],
    ['Enter credentials', 163.1, ['Enter', 'credentials']],
    ['one two three', 80, ['one two', 'three']],
    ['发出补货提醒', 48, ['发出补', '货提醒']],
    ['发出补货提醒', 47.9, ['发出', '补货', '提醒']],
    ['调用API网关', 64, ['调用API', '网关']],
    ['first\nsecond line', 1000, ['first', 'second line']],
    ['a\n\nb', 100, ['a', '', 'b']],
    ['unbreakable', 20, ['unbreakable']],
    ['an unbreakable word', 40, ['an', 'unbreakable', 'word']],
    ['  padded   text ', 1000, ['padded text']],
    ['数e\u0301e\u0301', 20, ['数', 'e\u0301e\u0301']],
    ['👩\u200d💻👩\u200d💻', 32, ['👩\u200d💻', '👩\u200d💻']],
  ])('%j in %d px', (text, width, lines) => {
    expect(wrapLabel(text, width)).toEqual(lines);
  });

  test('loses no character but spaces, and exceeds the width only with a single word', () => {
    const words = fc.array(fc.constantFrom('a', 'word', ' ', '数据', 'é', '👍', '，', '\n'), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 200 }), (parts, width) => {
        const text = parts.join('');
        const lines = wrapLabel(text, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(/[ \n]/g, ''));
        for (const line of lines) {
          if (lineWidth(line) > width) expect(line).toMatch(/^[a-zé]+$|^.$/u);
        }
      }),
    );
  });
});

test('textSize breaks only at line breaks and rounds up', () => {
  expect(textSize('API')).toEqual({ width: 29, height: 20 });
  expect(textSize('数据库\nDB')).toEqual({ width: 48, height: 40 });
});

describe('labels in shapes', () => {
  test('inner areas: all of a rectangle, 1/√2 of an ellipse, half of a diamond, less 5 px a side', () => {
    expect(innerArea('rectangle', 160, 60)).toEqual({ width: 150, height: 50 });
    expect(innerArea('diamond', 160, 60)).toEqual({ width: 70, height: 20 });
    const ellipse = innerArea('ellipse', 200, 100);
    expect(ellipse.width).toBeCloseTo(131.4214, 4);
    expect(ellipse.height).toBeCloseTo(60.7107, 4);
  });

  test.each([
    ['rectangle' as const, 39, 30, true],
    ['rectangle' as const, 38, 30, false],
    ['rectangle' as const, 39, 29, false],
    ['diamond' as const, 78, 60, true],
    ['diamond' as const, 77, 60, false],
    ['diamond' as const, 78, 59, false],
    ['ellipse' as const, 55, 43, true],
    ['ellipse' as const, 54, 43, false],
    ['ellipse' as const, 55, 42, false],
  ])('%s %d×%d holds "API": %s', (shape, width, height, fits) => {
    expect(labelFits({ shape, width, height, text: 'API' })).toBe(fits);
  });

  test('a shape without a label fits, and a text shape always fits itself', () => {
    expect(labelFits({ shape: 'diamond', width: 20, height: 20, text: '' })).toBe(true);
    expect(labelFits({ shape: 'text', ...textSize('any\ntext'), text: 'any\ntext' })).toBe(true);
    expect(labelLines({ shape: 'rectangle', width: 20, height: 20, text: '' })).toEqual([]);
  });
});
