/** Many attribute patterns or names at once. */
import { partitionPoint } from '@fossick/base';

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
    return this.entries[partitionPoint(0, this.entries.length, (at) => this.entries[at]!.text <= text) - 1];
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

/** What a pattern is compared with: the whole name of a field, or also the names of its parents. */
export type PatternReach = 'field' | 'fieldOrParent';
/** A pattern, and the rank of the rule that it belongs to. */
export type RankedPattern = readonly [pattern: string, rank: number];

/**
 * Many attribute patterns (`x`, `x*`, `*x`, `*x*` or `*`), made ready once; finds the least rank of those that match a field. A
 * look-up takes O(log n) steps for patterns that begin with a name, and as many for each character of the field where some begin
 * with `*`.
 */
export class PatternList {
  private readonly reach: PatternReach;
  /** Rank of `*`. */
  private readonly everything: number;
  /** Patterns without `*`, by name; with the reach of parents each ends with a dot. */
  private readonly names: ReadonlyMap<string, number>;
  private readonly covering: PrefixTable;
  /** `x*` */
  private readonly starts: PrefixTable;
  /** `*x*` */
  private readonly parts: PrefixTable;
  /** `*x`, reversed; with the reach of parents in their own direction, each with a dot. */
  private readonly ends: PrefixTable;

  constructor(patterns: Iterable<RankedPattern>, reach: PatternReach) {
    this.reach = reach;
    let everything = Number.POSITIVE_INFINITY;
    const names = new Map<string, number>();
    const [covering, starts, parts, ends]: RankedPattern[][] = [[], [], [], []];
    for (const [pattern, rank] of patterns) {
      const [isOpenStart, isOpenEnd] = [pattern.startsWith('*'), pattern.endsWith('*')];
      const inner = pattern.slice(isOpenStart ? 1 : 0, isOpenEnd ? -1 : pattern.length);
      if (pattern === '*' || (isOpenStart && isOpenEnd && inner === '')) everything = Math.min(everything, rank);
      else if (isOpenStart && isOpenEnd) parts!.push([inner, rank]);
      else if (isOpenStart) ends!.push([reach === 'field' ? reversed(inner) : `${inner}.`, rank]);
      else if (isOpenEnd) starts!.push([inner, rank]);
      else if (reach === 'fieldOrParent' && inner !== '') covering!.push([`${inner}.`, rank]);
      else if (reach === 'field') names.set(inner, Math.min(rank, names.get(inner) ?? rank));
    }
    this.everything = everything;
    this.names = names;
    this.covering = new PrefixTable(covering!);
    this.starts = new PrefixTable(starts!);
    this.parts = new PrefixTable(parts!);
    this.ends = new PrefixTable(ends!);
  }

  /** The least rank of the patterns that match; Infinity for none. A field without a name has no parents, and matches none. */
  rankOf(field: string): number {
    const isOfParents = this.reach === 'fieldOrParent';
    if (isOfParents && field === '') return Number.POSITIVE_INFINITY;
    const closed = `${field}.`;
    return Math.min(
      this.everything,
      this.names.get(field) ?? Number.POSITIVE_INFINITY,
      this.covering.size === 0 ? Number.POSITIVE_INFINITY : this.covering.rankOf(closed),
      this.starts.rankOf(field),
      rankInside(this.parts, field),
      isOfParents
        ? rankInside(this.ends, closed)
        : this.ends.size === 0
          ? Number.POSITIVE_INFINITY
          : this.ends.rankOf(reversed(field)),
    );
  }

  matches(field: string): boolean {
    return this.rankOf(field) !== Number.POSITIVE_INFINITY;
  }
}

/** The least rank of the entries that occur anywhere in a text. */
function rankInside(table: PrefixTable, text: string): number {
  let rank = Number.POSITIVE_INFINITY;
  if (table.size === 0) return rank;
  for (let at = 0; at < text.length; at++) rank = Math.min(rank, table.rankOf(text.slice(at)));
  return rank;
}

/** By UTF-16 units: only compared with texts that are reversed likewise. */
function reversed(text: string): string {
  let turned = '';
  for (let at = text.length - 1; at >= 0; at--) turned += text[at];
  return turned;
}
