import { apiError, isPast, MAX_VIEW_MS } from '@fossick/base';
import type { RowReader } from '@fossick/format';
import type { Snapshot } from '@fossick/storage';

/**
 * The rows of the current view's commit. Objects that stay loaded between views (segments, their lists and columns) read through this, so
 * that lazy loading always uses the commit of the current view. Outside of views nothing can be read.
 */
export class ViewRows implements RowReader {
  private readonly isEnding: () => boolean;
  private current: RowReader | undefined;
  private endMs = 0;

  /** @param isEnding asked at every read: whether the thread is to end, and the read fails */
  constructor(isEnding: () => boolean = () => false) {
    this.isEnding = isEnding;
  }

  /** Reads use these rows until `end`, for at most MAX_VIEW_MS. */
  begin(rows: RowReader): void {
    this.current = rows;
    this.endMs = performance.now() + MAX_VIEW_MS;
  }

  end(): void {
    this.current = undefined;
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.now.get(table, key);
  }

  read<T>(table: string, key: Uint8Array, use: (value: Uint8Array) => T): T | undefined {
    return this.now.read(table, key, use);
  }

  /** Undefined where nothing has to be fetched. */
  get need(): RowReader['need'] {
    return this.current?.need;
  }

  private get now(): RowReader {
    if (this.current === undefined) throw new Error('rows are read outside of a view');
    if (this.isEnding()) throw new Error('the thread ends, and nobody waits for what it reads');
    if (isPast(this.endMs)) throw apiError('internal', 'viewTooLong', MAX_VIEW_MS / 1_000);
    return this.current;
  }
}

/** Row reader over a snapshot. */
export function snapshotRows(snapshot: Snapshot): RowReader {
  return {
    get: (table, key) => snapshot.table(table).get(key),
    read: (table, key, use) => snapshot.table(table).read(key, use),
    need: needOf(snapshot),
  };
}

/** A store announces reads for all of its tables or for none. */
function needOf(snapshot: Snapshot): RowReader['need'] {
  const [first] = snapshot.tableNames;
  if (first === undefined || snapshot.table(first).need === undefined) return undefined;
  return (table, keys) => snapshot.table(table).need?.(keys);
}
