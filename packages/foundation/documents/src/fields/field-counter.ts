import type { JsonObject } from '../json/json-object.js';

/** Counts documents by top-level field, without `_vectors`: the `fieldDistribution` of statistics. */
export class FieldCounter {
  private readonly counts: Map<string, number>;

  constructor(counts: Readonly<Record<string, number>>) {
    this.counts = new Map(Object.entries(counts));
  }

  /** Adds (1) or removes (-1) a document. */
  count(document: JsonObject, step: 1 | -1): void {
    for (const key in document) {
      if (key !== '_vectors') this.counts.set(key, (this.counts.get(key) ?? 0) + step);
    }
  }

  clear(): void {
    this.counts.clear();
  }

  /** Counts of the fields that at least one document has. */
  distribution(): Record<string, number> {
    return Object.fromEntries([...this.counts].filter(([, count]) => count > 0));
  }
}
