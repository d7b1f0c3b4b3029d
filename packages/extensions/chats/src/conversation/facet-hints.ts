/** Example values for the model, by filterable attribute: JSON text of each. */
export type FacetValues = ReadonlyMap<string, readonly string[]>;

/** Entries by index, commit and rights: each takes some kilobytes. */
const CACHED_MAX = 500;

/**
 * Caches the facet values for models, which change only with a commit. Concurrent conversations share one computation.
 */
export class FacetHints {
  /** The most recently used are last. */
  private readonly cached = new Map<string, Promise<FacetValues>>();

  /** @param key the index, its commit, and the caller's rights. @param look its failures are not cached */
  of(key: string, look: () => Promise<FacetValues>): Promise<FacetValues> {
    const known = this.cached.get(key);
    const values = known ?? look();
    this.cached.delete(key);
    this.cached.set(key, values);
    if (known !== undefined) return values;
    values.catch(() => {
      if (this.cached.get(key) === values) this.cached.delete(key);
    });
    if (this.cached.size > CACHED_MAX) this.cached.delete(this.cached.keys().next().value!);
    return values;
  }
}
