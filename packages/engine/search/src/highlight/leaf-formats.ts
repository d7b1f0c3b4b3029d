import { NamedParents } from '@fossick/documents';
import type { TextFormat } from './text-formatter.js';

/** The formats of fields, indexed for look-up by leaf path. */
export class LeafFormats {
  private readonly formats: ReadonlyMap<string, TextFormat>;
  private readonly parents: NamedParents;
  /** Names of fields, sorted: those below a path are consecutive. */
  private readonly names: readonly string[];
  /** By index: how many of the names before it are highlighted. */
  private readonly highlighted: Uint32Array;
  /** Ranks of cropped fields in field order, `NOWHERE` for others: a segment tree of minima over the sorted names. */
  private readonly firstCrop: Uint32Array;
  /** Formats by rank in field order. */
  private readonly ordered: readonly TextFormat[];
  private readonly ranks = new Map<string, number>();

  /** O(n log n) comparisons. Prefixes of names are not stored: a name of a million dots has a million of them. */
  constructor(formats: ReadonlyMap<string, TextFormat>) {
    this.formats = formats;
    this.parents = new NamedParents(formats.keys());
    this.ordered = [...formats.values()];
    for (const name of formats.keys()) this.ranks.set(name, this.ranks.size);
    this.names = [...formats.keys()].sort(byUnits);
    const count = this.names.length;
    this.highlighted = new Uint32Array(count + 1);
    this.firstCrop = new Uint32Array(2 * count).fill(NOWHERE);
    for (const [at, name] of this.names.entries()) {
      this.highlighted[at + 1] = this.highlighted[at]! + (formats.get(name)!.isHighlighted ? 1 : 0);
      this.firstCrop[count + at] = this.cropRank(name);
    }
    for (let node = count - 1; node > 0; node--)
      this.firstCrop[node] = Math.min(this.firstCrop[2 * node]!, this.firstCrop[2 * node + 1]!);
  }

  /**
   * The format of a leaf: that of the fields it equals, is below or is above; of several crop lengths the first field's
   * counts. O(log fields) comparisons, O(path) each, plus the search for parents (NamedParents).
   */
  of(path: string): TextFormat {
    const from = this.indexFrom(`${path}.`);
    const to = this.indexFrom(`${path}${AFTER_DOT}`);
    let isHighlighted = this.highlighted[to]! > this.highlighted[from]!;
    let place = this.firstCropOf(from, to);
    for (const name of [path, ...this.parents.above(path)]) {
      isHighlighted ||= this.formats.get(name)?.isHighlighted === true;
      place = Math.min(place, this.cropRank(name));
    }
    return { isHighlighted, cropWords: place === NOWHERE ? null : this.ordered[place]!.cropWords };
  }

  private cropRank(name: string): number {
    const place = this.ranks.get(name);
    return place === undefined || this.ordered[place]!.cropWords === null ? NOWHERE : place;
  }

  /** The index of the first name that is not less than a text. */
  private indexFrom(text: string): number {
    let [from, to] = [0, this.names.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.names[middle]! < text) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private firstCropOf(from: number, to: number): number {
    const count = this.names.length;
    let least = NOWHERE;
    for (let [left, right] = [from + count, to + count]; left < right; left >>= 1, right >>= 1) {
      if (left % 2 === 1) least = Math.min(least, this.firstCrop[left++]!);
      if (right % 2 === 1) least = Math.min(least, this.firstCrop[--right]!);
    }
    return least;
  }
}

const NOWHERE = 0xffffffff;
/** The unit after the dot: texts from `x.` up to `x/` begin with `x.`. */
const AFTER_DOT = '/';
const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
