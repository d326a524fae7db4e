import type { Tensor } from '@tensorflow/tfjs-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { DeferredOperations } from '../../lib/src/tensor/native/deferred.js';
import { FakeTensorFlow } from './fake-tensorflow.js';

let backend: FakeTensorFlow;
let deferred: DeferredOperations;

beforeEach(() => {
  backend = new FakeTensorFlow();
  deferred = new DeferredOperations(backend, backend.load);
});

/** A tensor that TensorFlow has already. */
function known(...values: number[]): Tensor {
  const tensor = backend.tensor(...values);
  backend.getInputTensorIds([tensor]);
  return tensor;
}

/** (x + y)², disposing what lies between. */
function squaredSum(x: Tensor, y: Tensor): Tensor {
  const sum = backend.run('Add', x, y);
  const squared = backend.run('Square', sum);
  backend.dispose(sum);
  return squared;
}

describe('operations that wait', () => {
  it('run one by one outside', () => {
    const result = squaredSum(backend.tensor(1, 2), backend.tensor(3));
    expect(backend.read(result)).toEqual([16, 25]);
    expect(backend.asked).toMatchObject({ operations: ['Add', 'Square'], graphs: 0 });
  });

  it('run together at the end, and only what is still held comes back', () => {
    const [x, y] = [known(1, 2), known(3)];
    const result = deferred.run(() => {
      const squared = squaredSum(x, y);
      expect(squared.shape).toEqual([2]);
      expect(backend.asked.graphs).toBe(0);
      return squared;
    });
    expect(backend.asked).toMatchObject({ operations: [], graphs: 1 });
    expect(backend.held.size).toBe(3);
    expect(backend.read(result)).toEqual([16, 25]);
    for (const tensor of [x, y, result]) backend.dispose(tensor);
    expect(backend.held.size).toBe(0);
  });

  it('run before a value is read, and those after it separately', () => {
    const result = deferred.run(() => {
      const squared = squaredSum(backend.tensor(1, 2), backend.tensor(3));
      expect(backend.read(squared)).toEqual([16, 25]);
      expect(backend.asked.graphs).toBe(1);
      return backend.run('Add', squared, backend.tensor(1));
    });
    expect(backend.read(result)).toEqual([17, 26]);
    expect(backend.asked).toMatchObject({ operations: [], graphs: 2 });
  });

  it('do not run when only the values of an input are read', () => {
    deferred.run(() => {
      const x = backend.tensor(1, 2);
      const held = squaredSum(x, x);
      expect(backend.read(x)).toEqual([1, 2]);
      expect(backend.asked.graphs).toBe(0);
      return held;
    });
  });

  it('run before one that cannot wait', () => {
    const result = deferred.run(() => {
      const squared = squaredSum(backend.tensor(1, 2), backend.tensor(3));
      return backend.run('Square', backend.run('Reverse', squared));
    });
    expect(backend.read(result)).toEqual([625, 256]);
    expect(backend.asked).toMatchObject({ operations: ['Reverse'], graphs: 2 });
  });

  it('run before one whose size depends on a value that is not there yet', () => {
    const result = deferred.run(() =>
      backend.run('Reshape', backend.tensor(1, 2, 3, 4), backend.run('Square', backend.tensor(2))),
    );
    expect(result.shape).toEqual([4]);
    expect(backend.asked).toMatchObject({ operations: ['Reshape'], graphs: 1 });
  });

  it.each([2, 20])('read %i numbers as they were, given back or changed meanwhile', (size) => {
    const values = new Float32Array(size).fill(3);
    const result = deferred.run(() => {
      const x = backend.tensor();
      Object.assign(backend.tensorMap.get(x.dataId), { shape: [size], values });
      const squared = backend.run('Square', x);
      values.fill(9);
      backend.dispose(x);
      return squared;
    });
    expect(backend.read(result)).toEqual(Array(size).fill(9));
    expect(backend.held.size).toBe(1);
  });

  it('take numbers from JavaScript of every kind and length', () => {
    const many = Array.from({ length: 9 }, (_, i) => i);
    const results = deferred.run(() => [
      squaredSum(backend.tensor(1, 2), backend.tensor(3)),
      squaredSum(backend.tensor(1, 2, 3), backend.scalar(1)),
      squaredSum(backend.scalar(4), backend.scalar(5)),
      squaredSum(backend.tensor(...many), backend.scalar(0)),
      backend.run('Reshape', backend.tensor(1, 2, 3, 4), backend.integers(2, 2)),
    ]);
    expect(results.map((result) => backend.read(result))).toEqual([
      [16, 25],
      [4, 9, 16],
      [81],
      many.map((value) => value ** 2),
      [1, 2, 3, 4],
    ]);
    expect(results.map(({ shape }) => shape)).toEqual([[2], [3], [], [9], [2, 2]]);
    expect(backend.asked).toMatchObject({ operations: [], graphs: 1 });
    expect(backend.held.size).toBe(results.length + 1);
  });

  it('run at all only when somebody holds a result', () => {
    deferred.run(() => backend.dispose(squaredSum(backend.tensor(1), backend.tensor(2))));
    expect(backend.asked).toMatchObject({ operations: [], graphs: 0, loaded: [] });
  });

  it('inside others are part of them', () => {
    deferred.run(() => {
      const inner = deferred.run(() => backend.run('Square', backend.tensor(3)));
      expect(backend.asked.graphs).toBe(0);
      return inner;
    });
    expect(backend.asked.graphs).toBe(1);
  });

  it('are forgotten with an error, and the next ones run', () => {
    expect(() =>
      deferred.run(() => {
        backend.dispose(squaredSum(backend.tensor(1), backend.tensor(2)));
        throw new Error('on purpose');
      }),
    ).toThrow('on purpose');
    expect(backend.asked.graphs).toBe(0);
    const after = deferred.run(() => backend.run('Square', backend.tensor(3)));
    expect(backend.read(after)).toEqual([9]);
    expect(backend.read(backend.run('Square', after))).toEqual([81]);
    expect(backend.asked.operations).toEqual(['Square']);
  });

  it('leave no inputs behind when TensorFlow fails, and no tensor with the values of another', () => {
    backend = new FakeTensorFlow();
    const { runSavedModel } = backend.binding;
    let failing = true;
    backend.binding.runSavedModel = (...graph) => {
      if (failing) throw new Error('indices[0] = 9 is not in [0, 4)');
      return runSavedModel(...graph);
    };
    deferred = new DeferredOperations(backend, backend.load);
    let lost: Tensor | undefined;
    const fail = (): void =>
      deferred.run(() => {
        const x = backend.tensor(3);
        lost = backend.run('Square', x);
        backend.dispose(x);
      });
    expect(fail).toThrow('indices[0] = 9');
    expect(backend.held.size).toBe(0);
    failing = false;
    expect(() =>
      deferred.run(() => {
        backend.run('Square', backend.tensor(2));
        return backend.run('Square', lost as Tensor);
      }),
    ).toThrow('there is no tensor');
    expect(() => backend.read(lost as Tensor)).toThrow('there is no tensor');
  });
});

describe('graphs', () => {
  const compute = (...values: number[]): Tensor =>
    deferred.run(() => squaredSum(backend.tensor(...values), backend.tensor(1)));

  it('serve all sizes', () => {
    expect(backend.read(compute(1, 2))).toEqual([4, 9]);
    expect(backend.read(compute(1, 2, 3))).toEqual([4, 9, 16]);
    expect(backend.asked).toMatchObject({ graphs: 2, loaded: [{}] });
  });

  it('are told apart by what is wired to what', () => {
    const [x, y] = [known(1), known(2)];
    const results = [
      () => backend.run('Add', x, y),
      () => backend.run('Add', y, x),
      () => backend.run('Add', x, x),
    ].map((f) => backend.read(deferred.run(f)));
    expect(results).toEqual([[3], [3], [2]]);
    expect(backend.asked.loaded).toHaveLength(2);
  });

  it('are dropped when there are many, the one used longest ago first', () => {
    const chain = (length: number): Tensor =>
      deferred.run(() => {
        let x = backend.tensor(1);
        for (let i = 0; i < length; i++) x = backend.run('Square', x);
        return x;
      });
    for (let length = 1; length <= 32; length++) chain(length);
    chain(1);
    expect(backend.asked.dropped).toEqual([]);
    chain(33);
    expect(backend.asked.dropped).toEqual([1]);
    chain(2);
    expect(backend.asked.dropped).toEqual([1, 2]);
    expect(backend.asked.loaded).toHaveLength(34);
  });
});
