/** Shared memory of one size that is lent and given back: fresh memory for every gradient would take longer than adding it up. */
export class SharedBuffers {
  readonly #bytes: number;
  readonly #limit: number;
  readonly #free: SharedArrayBuffer[] = [];
  readonly #waiting: ((buffer: SharedArrayBuffer) => void)[] = [];
  #made = 0;

  constructor(bytes: number, limit: number) {
    this.#bytes = bytes;
    this.#limit = limit;
  }

  /** In the order of the calls, as soon as there is one; it holds whatever it held. */
  async take(): Promise<SharedArrayBuffer> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#made < this.#limit) {
      this.#made += 1;
      return new SharedArrayBuffer(this.#bytes);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  giveBack(buffer: SharedArrayBuffer): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
  }
}
