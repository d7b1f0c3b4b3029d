interface Entry {
  readonly text: string;
  /** The least rank of this entry and of all entries that it begins with. */
  readonly rank: number;
  /** The longest entry that this one begins with; null for none. */
  readonly parent: Entry | null;
  /** An entry further up, so that a chain of n parents is walked in O(log n) steps; null where there is no parent. */
  readonly jump: Entry | null;
  readonly depth: number;
}

/**
 * Texts with ranks; finds the least rank of those that another text begins with. Building takes O(n log n) comparisons of texts, a
 * look-up O(log n), however many entries begin with each other.
 */
export class PrefixTable {
  /** In the order of their UTF-16 units, each once. */
  private readonly entries: readonly Entry[];

  /** @param ranked texts with their ranks, in any order; of equal texts the least rank counts */
  constructor(ranked: Iterable<readonly [text: string, rank: number]>) {
    const ranks = new Map<string, number>();
    for (const [text, rank] of ranked) ranks.set(text, Math.min(rank, ranks.get(text) ?? rank));
    const entries: Entry[] = [];
    for (const text of [...ranks.keys()].sort()) {
      const parent = parentOf(text, entries.at(-1) ?? null);
      const rank = Math.min(ranks.get(text)!, parent?.rank ?? Number.POSITIVE_INFINITY);
      entries.push({ text, rank, parent, jump: jumpFrom(parent), depth: parent === null ? 0 : parent.depth + 1 });
    }
    this.entries = entries;
  }

  get size(): number {
    return this.entries.length;
  }

  /** The least rank of the entries that `text` begins with; Infinity for none. */
  rankOf(text: string): number {
    const nearest = this.lastUpTo(text);
    if (nearest === undefined) return Number.POSITIVE_INFINITY;
    // every entry that the text begins with is at most the text, so the greatest of those begins with it, too
    const sharedUnits = sharedLength(nearest.text, text);
    let entry: Entry | null = nearest;
    while (entry !== null && entry.text.length > sharedUnits)
      entry = entry.jump !== null && entry.jump.text.length > sharedUnits ? entry.jump : entry.parent;
    return entry?.rank ?? Number.POSITIVE_INFINITY;
  }

  /** The greatest entry that is not greater than `text`. */
  private lastUpTo(text: string): Entry | undefined {
    let [low, high] = [0, this.entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.entries[middle]!.text <= text) low = middle + 1;
      else high = middle;
    }
    return this.entries[low - 1];
  }
}

/** The longest entry that `text` begins with, given the entry before it in their order. */
function parentOf(text: string, before: Entry | null): Entry | null {
  let parent = before;
  while (parent !== null && !text.startsWith(parent.text)) parent = parent.parent;
  return parent;
}

/** Jumps double in length where two of equal length follow each other (Myers, "An applicative random-access stack", 1983). */
function jumpFrom(parent: Entry | null): Entry | null {
  if (parent?.jump == null || parent.jump.jump === null) return parent;
  const [first, second] = [parent.depth - parent.jump.depth, parent.jump.depth - parent.jump.jump.depth];
  return first === second ? parent.jump.jump : parent;
}

function sharedLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
