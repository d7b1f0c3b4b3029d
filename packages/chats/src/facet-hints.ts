/** Values that a model is told of, by the attribute they can be filtered by: JSON text of each. */
export type FacetValues = ReadonlyMap<string, readonly string[]>;

/** Of indexes, commits and rights: each takes some kilobytes. */
const CACHED_MAX = 500;

/**
 * What models are told of the facets of indexes, kept for the conversations that begin later: it is the same as long as nothing is
 * committed. Conversations that begin together wait for one look.
 */
export class FacetHints {
  /** The ones used last at the end. */
  private readonly cached = new Map<string, Promise<FacetValues>>();

  /** @param key the index, its commit, and the rights of who asks. @param look is not kept where it fails */
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
