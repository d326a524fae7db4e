// log softmax(logits / temperature) at one target a row, and the entropy of the row.
import { exp4, loadTail, log64, maxLanes, multiplyAdd, storeTail, sumLanes } from './vector';

/** Stands in for -Infinity where it would be multiplied by a probability of 0. */
const LOWEST: f32 = -3.0e38;

export function selectedLogprobs(
  logits: usize,
  targets: usize,
  logprobs: usize,
  entropies: usize,
  lse: usize,
  rows: i32,
  vocab: i32,
  inverseTemperature: f32,
): void {
  const whole = vocab & ~3;
  const rest = vocab - whole;
  const scale4 = f32x4.splat(inverseTemperature);
  const lowest4 = f32x4.splat(LOWEST);
  for (let i = 0; i < rows; i++) {
    const end = logits + ((<usize>whole) << 2);
    const tail = f32x4.mul(loadTail(end, rest, -Infinity), scale4);
    let largest4 = tail;
    for (let at = logits; at < end; at += 16)
      largest4 = f32x4.pmax(largest4, f32x4.mul(v128.load(at), scale4));
    const largest = maxLanes(largest4);
    const shift = f32x4.splat(largest);
    const lastDistance = f32x4.sub(tail, shift);
    let sum4 = exp4(lastDistance);
    let weighted4 = f32x4.mul(sum4, f32x4.pmax(lastDistance, lowest4));
    for (let at = logits; at < end; at += 16) {
      const distance = f32x4.sub(f32x4.mul(v128.load(at), scale4), shift);
      const e = exp4(distance);
      sum4 = f32x4.add(sum4, e);
      weighted4 = multiplyAdd(weighted4, e, f32x4.pmax(distance, lowest4));
    }
    const sum = <f64>sumLanes(sum4);
    const logSum = log64(sum);
    const target = <usize>load<i32>(targets + ((<usize>i) << 2));
    const chosen = <f64>(load<f32>(logits + (target << 2)) * inverseTemperature - largest);
    store<f32>(logprobs + ((<usize>i) << 2), <f32>(chosen - logSum));
    store<f32>(entropies + ((<usize>i) << 2), <f32>(logSum - <f64>sumLanes(weighted4) / sum));
    store<f32>(lse + ((<usize>i) << 2), <f32>(<f64>largest + logSum));
    logits += <usize>vocab * 4;
  }
}

/** d logits = dy / temperature · (1[target] - softmax); rows with dy = 0 are 0 whatever their logits hold. */
export function selectedLogprobsGradient(
  logits: usize,
  targets: usize,
  lse: usize,
  dLogprobs: usize,
  dLogits: usize,
  rows: i32,
  vocab: i32,
  inverseTemperature: f32,
): void {
  const whole = vocab & ~3;
  const rest = vocab - whole;
  const row = <usize>vocab * 4;
  const scale4 = f32x4.splat(inverseTemperature);
  for (let i = 0; i < rows; i++) {
    const slope = load<f32>(dLogprobs + ((<usize>i) << 2)) * inverseTemperature;
    if (slope == 0) memory.fill(dLogits, 0, row);
    else {
      const slope4 = f32x4.splat(-slope);
      const shift = f32x4.splat(load<f32>(lse + ((<usize>i) << 2)));
      for (let at: usize = 0; at < (<usize>whole) << 2; at += 16) {
        const p = exp4(f32x4.sub(f32x4.mul(v128.load(logits + at), scale4), shift));
        v128.store(dLogits + at, f32x4.mul(p, slope4));
      }
      const at = (<usize>whole) << 2;
      const p = exp4(f32x4.sub(f32x4.mul(loadTail(logits + at, rest, -Infinity), scale4), shift));
      storeTail(dLogits + at, f32x4.mul(p, slope4), rest);
      const target = dLogits + ((<usize>load<i32>(targets + ((<usize>i) << 2))) << 2);
      store<f32>(target, load<f32>(target) + slope);
    }
    logits += row;
    dLogits += row;
  }
}
