import { describe, expect, it } from 'vitest';
import {
  applyActions,
  emptyCanvas,
  labelFits,
  lineWidth,
  MIN_SIZE,
  parseActions,
  type ShapeKind,
} from 'posttrain/envs';
import { validTerm } from 'posttrain/rewards/structure';

describe('chapter 2', () => {
  it('eq-valid', () => {
    const sample = `{"actions":[
      {"type":"create","shape":"rectangle","id":"box1","x":10,"y":20,"width":100,"height":60},
      {"type":"create","shape":"text","id":"label1","x":15,"y":25,"text":"User data"},
      {"type":"connect","from":"box1","to":"box2"}]}`;
    const parsed = parseActions(sample);
    const { log } = applyActions(emptyCanvas(), parsed.ok ? parsed.actions : []);
    expect(validTerm(log).value).toBeCloseTo(2 / 3, 12);
    expect(validTerm({ ...log, actions: 0, valid: 0 }).value).toBe(0);
  });

  it('eq-label-width', () => {
    const widthByHand = (line: string): number =>
      16 * [...line].reduce((sum, c) => sum + (/\p{M}/u.test(c) ? 0 : /\p{sc=Han}/u.test(c) ? 1 : 0.6), 0);
    for (const line of ['Database', '数据库', 'API 接口', 'e\u0301a', ''])
      expect(lineWidth(line)).toBeCloseTo(widthByHand(line), 9);
  });

  it('example-one-box', () => {
    const { width, height } = emptyCanvas();
    const placesOf = (length: number): number => {
      let places = 0;
      for (let size = MIN_SIZE; size <= length; size++) places += length - size + 1;
      return places;
    };
    expect([placesOf(width), placesOf(height)]).toEqual([1_250_571, 697_971]);
    expect((3 * placesOf(width) * placesOf(height)) / 1e12).toBeCloseTo(2.6, 1);
  });

  const fits = (text: string, shape: ShapeKind, width: number, height = 60): boolean =>
    labelFits({ shape, width, height, text });

  it('example-does-it-fit', () => {
    expect(lineWidth('Database')).toBeCloseTo(76.8, 9);
    expect([80, 90].map((width) => fits('Database', 'rectangle', width))).toEqual([false, true]);
    expect([173, 174].map((width) => fits('Database', 'diamond', width))).toEqual([false, true]);
    expect([57, 58].map((width) => fits('数据库', 'rectangle', width, 30))).toEqual([false, true]);
    const ten = '一二三四五六七八九十';
    expect(
      [120, 169, 170].map((width) => labelFits({ shape: 'rectangle', width, height: 30, text: ten })),
    ).toEqual([false, false, true]);
    expect(ten.length * 16 * 0.62 + 10).toBeCloseTo(109.2, 9);
  });

  it('exercise-fits', () => {
    expect(
      [67, 68].map((width) => labelFits({ shape: 'rectangle', width, height: 30, text: 'API v2' })),
    ).toEqual([false, true]);
    expect(
      [135, 136].map((width) => labelFits({ shape: 'diamond', width, height: 60, text: 'API v2' })),
    ).toEqual([false, true]);
    expect(
      [41, 42].map((width) => labelFits({ shape: 'rectangle', width, height: 30, text: '接口' })),
    ).toEqual([false, true]);
  });

  it('exercise-predict-codes', () => {
    const reply = `{"actions":[
      {"type":"create","shape":"ellipse","id":"a","x":0,"y":0,"width":10,"height":60},
      {"type":"connect","from":"a","to":"b"},
      {"type":"create","shape":"text","id":"b","x":0,"y":200,"text":"B"},
      {"type":"connect","from":"b","to":"b"}]}`;
    const parsed = parseActions(reply);
    const { log } = applyActions(emptyCanvas(), parsed.ok ? parsed.actions : []);
    expect(log.errors.map(({ code }) => code)).toEqual(['E_SIZE', 'E_DANGLING', 'E_ENDPOINT']);
    expect(log.valid).toBe(1);
  });
});
