/** What the tests of a file open, and close after each of them. */
import { disposeModel, type Model } from 'posttrain/model';
import { afterEach } from 'vitest';

interface Opened<E> {
  readonly engine: E;
  readonly model: Model;
}

export interface Opening {
  /** Gives back what it is given, and closes it after the test. */
  readonly keep: <E extends { dispose(): void }>(opened: Opened<E>) => Opened<E>;
  /** Closes everything now. */
  readonly closeAll: () => void;
}

/** Called once in a file. */
export function closedAfterEach(): Opening {
  const closing: (() => void)[] = [];
  const closeAll = (): void => closing.splice(0).forEach((close) => close());
  afterEach(closeAll);
  return {
    keep: (opened) => {
      closing.push(() => {
        opened.engine.dispose();
        disposeModel(opened.model);
      });
      return opened;
    },
    closeAll,
  };
}
