import { TrimmedError } from '../log-errors.js';
import type { AppendOutcome, Beat, CommitLog, StoredEntry } from '../port.js';

/** A log that lives as long as the object, and what it has to do in its plainest form. Any number of nodes may share it. */
export class MemoryLog implements CommitLog {
  private readonly entries = new Map<number, Uint8Array>();
  private readonly watchers = new Set<() => void>();
  private floor = 1;
  private end = 1;
  private beatSeen: Beat | null = null;

  async append(position: number, bytes: Uint8Array): Promise<AppendOutcome> {
    this.expectAbove(position);
    if (position < this.end) return 'taken';
    if (position > this.end) throw new RangeError(`position ${position} would leave a gap after ${this.end - 1}`);
    this.entries.set(position, new Uint8Array(bytes));
    this.end += 1;
    for (const onMore of this.watchers) onMore();
    return 'appended';
  }

  async read(from: number, bytesMax: number): Promise<readonly StoredEntry[]> {
    this.expectAbove(from);
    const found: StoredEntry[] = [];
    let bytesLeft = bytesMax;
    for (let position = from; position < this.end; position++) {
      const bytes = this.entries.get(position)!;
      bytesLeft -= bytes.length;
      if (found.length > 0 && bytesLeft < 0) break;
      found.push({ position, bytes: bytes.slice() });
    }
    return found;
  }

  watch(_from: number, onMore: () => void): Disposable {
    // a function of its own: the same one may watch twice
    const watcher = (): void => onMore();
    this.watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.watchers.delete(watcher) };
  }

  async beat(beat: Beat): Promise<void> {
    this.beatSeen = beat;
  }

  async lastBeat(): Promise<Beat | null> {
    return this.beatSeen;
  }

  async trim(before: number): Promise<void> {
    for (; this.floor < before; this.floor++) this.entries.delete(this.floor);
  }

  async close(): Promise<void> {}

  private expectAbove(position: number): void {
    if (position < this.floor) throw new TrimmedError(position, this.floor);
  }
}
