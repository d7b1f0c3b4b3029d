/** An index of dotted names that finds those which are parents of a path. */
export class NamedParents {
  private readonly names: ReadonlySet<string>;
  /**
   * Lengths of the names in UTF-16 units, distinct and ascending. They are few, because k of them take k² / 2 units of names.
   */
  private readonly lengths: readonly number[];

  /** O(units of all names) */
  constructor(names: Iterable<string>) {
    this.names = new Set(names);
    this.lengths = [...new Set([...this.names].map(({ length }) => length))].sort((a, b) => a - b);
  }

  /**
   * Names that end at a dot of the path, shortest first. A path may have a million dots, so only prefixes of known lengths are tested:
   * O(units of all names) at most, and O(distinct lengths) where none ends at a dot.
   */
  above(path: string): string[] {
    const found: string[] = [];
    for (const length of this.lengths) {
      if (length >= path.length) break;
      if (path[length] !== '.') continue;
      const parent = path.slice(0, length);
      if (this.names.has(parent)) found.push(parent);
    }
    return found;
  }
}
