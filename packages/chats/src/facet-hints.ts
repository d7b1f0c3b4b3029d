/** Values that a model is told of, by the attribute they can be filtered by: JSON text of each. */
export type FacetValues = ReadonlyMap<string, readonly string[]>;

/** Of indexes, commits and rights: each takes some kilobytes. */
const KEPT_MAX = 500;

/**
 * What models are told of the facets of indexes, kept for the conversations that begin later: it is the same as long as nothing is
 * committed. Conversations that begin together wait for one look.
 */
export class FacetHints {
  /** The ones used last at the end. */
  private readonly kept = new Map<string, Promise<FacetValues>>();

  /** @param key the index, its commit, and the rights of who asks. @param look is not kept where it fails */
  of(key: string, look: () => Promise<FacetValues>): Promise<FacetValues> {
    const known = this.kept.get(key);
    const values = known ?? look();
    this.kept.delete(key);
    this.kept.set(key, values);
    if (known !== undefined) return values;
    values.catch(() => {
      if (this.kept.get(key) === values) this.kept.delete(key);
    });
    if (this.kept.size > KEPT_MAX) this.kept.delete(this.kept.keys().next().value!);
    return values;
  }
}
