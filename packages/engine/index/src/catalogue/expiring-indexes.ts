import { type RowReader, readVersion, rowsOf } from '@fossick/format';
import { readSettings } from '../documents/stored-settings.js';
import type { WritableCatalogue } from './catalogue-port.js';

/** Finds in which indexes documents have expired that are still stored. Writer only. */
export class ExpiringIndexes {
  /** By the folders of their stores: until then nothing expires in this version. */
  private readonly known = new Map<string, { readonly version: number; readonly nextMs: number }>();
  private readonly nextExpiry: (rows: RowReader, attribute: string) => number;

  /** @param nextExpiry the earliest expiry of the stored documents by an attribute, in milliseconds since 1970 */
  constructor(nextExpiry: (rows: RowReader, attribute: string) => number) {
    this.nextExpiry = nextExpiry;
  }

  /** The uid of an index in which stored documents have expired by `nowMs`, or null, for each index. */
  *due(
    catalogue: Pick<WritableCatalogue, 'folders' | 'entry' | 'summary' | 'store'>,
    nowMs: number,
  ): Generator<string | null> {
    // reads all names at once: the iteration may pause for long, and a read transaction must not
    for (const { uid } of [...catalogue.folders()]) {
      const entry = catalogue.entry(uid);
      if (entry === undefined || catalogue.summary(entry).hasExpiry !== true) yield null;
      else yield this.isDue(entry.folder, rowsOf(catalogue.store(entry.folder)), nowMs) ? uid : null;
    }
  }

  /** Whether a stored document has expired by `nowMs`. One read when nothing changed since the last call. */
  private isDue(folder: string, rows: RowReader, nowMs: number): boolean {
    const version = readVersion(rows);
    let known = this.known.get(folder);
    if (known?.version !== version) {
      const { expiryAttribute } = readSettings(rows);
      const nextMs = expiryAttribute === null ? Number.POSITIVE_INFINITY : this.nextExpiry(rows, expiryAttribute);
      known = { version, nextMs };
      this.known.set(folder, known);
    }
    return known.nextMs <= nowMs;
  }

  /** Drops what is known of an index. */
  forget(folder: string): void {
    this.known.delete(folder);
  }
}
