import { compareBytes } from '../bytes.js';
import type { Entry, RangeOptions } from '../store.js';

/** Two parallel arrays sorted by key. Frozen while an iteration reads it: writes then go to a copy. */
interface Version {
  keys: Uint8Array[];
  values: Uint8Array[];
  readers: number;
}

/** The sorted map of a table of the memory store. Lookups O(log n), writes O(n) moves: enough for small stores. */
export class SortedTable {
  private version: Version = { keys: [], values: [], readers: 0 };

  get size(): number {
    return this.version.keys.length;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const at = lowerBound(this.version.keys, key);
    const found = this.version.keys[at];
    return found !== undefined && compareBytes(found, key) === 0 ? this.version.values[at] : undefined;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const { keys, values } = this.writable();
    const at = lowerBound(keys, key);
    const found = keys[at];
    if (found !== undefined && compareBytes(found, key) === 0) {
      values[at] = value;
      return;
    }
    keys.splice(at, 0, key);
    values.splice(at, 0, value);
  }

  delete(key: Uint8Array): void {
    if (this.get(key) === undefined) return;
    const { keys, values } = this.writable();
    const at = lowerBound(keys, key);
    keys.splice(at, 1);
    values.splice(at, 1);
  }

  /** A generator over one frozen version: it does not see writes made while it runs. */
  *range(options: RangeOptions): Generator<Entry> {
    const version = this.version;
    const first = options.start === undefined ? 0 : lowerBound(version.keys, options.start);
    const end = options.end === undefined ? version.keys.length : lowerBound(version.keys, options.end);
    const count = Math.min(Math.max(end - first, 0), options.limit ?? Number.POSITIVE_INFINITY);
    version.readers += 1;
    try {
      for (let step = 0; step < count; step += 1) {
        const at = options.reverse === true ? end - 1 - step : first + step;
        yield { key: new Uint8Array(version.keys[at]!), value: new Uint8Array(version.values[at]!) };
      }
    } finally {
      version.readers -= 1;
    }
  }

  /** The same rows in another table, until `release`: what is written to this one meanwhile goes to a copy. O(1) */
  share(): { readonly table: SortedTable; readonly release: () => void } {
    const { version } = this;
    const table = new SortedTable();
    table.version = version;
    version.readers += 1;
    return {
      table,
      release: () => {
        version.readers -= 1;
      },
    };
  }

  private writable(): Version {
    if (this.version.readers > 0) {
      this.version = { keys: [...this.version.keys], values: [...this.version.values], readers: 0 };
    }
    return this.version;
  }
}

function lowerBound(keys: readonly Uint8Array[], key: Uint8Array): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(keys[middle]!, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
