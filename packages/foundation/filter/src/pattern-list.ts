import { PrefixTable } from './prefix-table.js';

export { PrefixTable };

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
