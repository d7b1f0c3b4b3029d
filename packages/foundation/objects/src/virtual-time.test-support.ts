interface Event {
  readonly atMs: number;
  readonly number: number;
  readonly work: () => void;
  isDisposed: boolean;
}

/** Time that passes from event to event. Equal seeds give equal runs: nothing else decides the order of events. */
export class VirtualTime {
  nowMs = 0;
  eventCount = 0;
  private number = 0;
  /** A binary heap. */
  private readonly heap: Event[] = [];

  after(delayMs: number, work: () => void): Disposable {
    const event: Event = { atMs: this.nowMs + Math.max(delayMs, 0), number: this.number++, work, isDisposed: false };
    this.push(event);
    return {
      [Symbol.dispose]: () => {
        event.isDisposed = true;
      },
    };
  }

  /** Runs events until a time, or until `isDone`. After each event all promises that it settled are followed to the end. */
  async run(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    await new Promise(setImmediate);
    while (this.heap.length > 0 && this.heap[0]!.atMs <= untilMs && !isDone()) {
      const event = this.pop();
      if (event.isDisposed) continue;
      this.nowMs = event.atMs;
      this.eventCount += 1;
      event.work();
      await new Promise(setImmediate);
    }
    if (!isDone()) this.nowMs = untilMs;
  }

  private push(event: Event): void {
    const { heap } = this;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[parent]!)) break;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  private pop(): Event {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child;
      }
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.number < right.number);
}

/** Pseudo-random numbers from 0 to below 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
