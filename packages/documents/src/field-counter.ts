import type { JsonObject } from './parse-document.js';

/** Documents for each top-level field but `_vectors`: the `fieldDistribution` of statistics. */
export class FieldCounter {
  private readonly counts: Map<string, number>;

  constructor(counts: Readonly<Record<string, number>>) {
    this.counts = new Map(Object.entries(counts));
  }

  /** Counts a document in (1) or out (-1). */
  count(document: JsonObject, step: 1 | -1): void {
    for (const key in document) {
      if (key !== '_vectors') this.counts.set(key, (this.counts.get(key) ?? 0) + step);
    }
  }

  clear(): void {
    this.counts.clear();
  }

  /** Fields that some document has. */
  distribution(): Record<string, number> {
    return Object.fromEntries([...this.counts].filter(([, count]) => count > 0));
  }
}
