import { randomStream } from '../tensor/random.js';

/**
 * Which item is taken at position 0, 1, 2, … of an endless run over `count` items: every epoch visits each item once,
 * shuffled anew. Depends on nothing but the seed and the position, so a resumed run goes on where it stopped.
 */
export function dataOrder(count: number, seed: number, shuffle: boolean): (position: number) => number {
  const inOrder = Array.from({ length: count }, (_, index) => index);
  let epoch = -1;
  let order = inOrder;
  return (position) => {
    const wanted = Math.floor(position / count);
    if (wanted !== epoch) {
      epoch = wanted;
      order = shuffle ? randomStream(seed, 'data-order', epoch).shuffle(inOrder) : inOrder;
    }
    return order[position % count] as number;
  };
}
