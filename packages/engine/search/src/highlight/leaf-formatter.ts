import { inOrder, isPast, memberNames, partitionPoint, setOwn } from '@fossick/base';
import {
  isJsonObject,
  type JsonObject,
  LosslessFloat,
  NamedParents,
  Selectors,
  selectFields,
} from '@fossick/documents';
import { type IndexSettings, isSubstringField, localesOf } from '@fossick/settings';
import type { Tokenizer } from '@fossick/tokenizer';
import type { FieldPlan, HitParams } from './field-plan.js';
import { type LocatedTerm, lookUpTerms, type TermLookup } from './matching-terms.js';
import { formatText, type Markers, type MatchBounds, type TextFormat } from './text-formatter.js';

const NOWHERE = 0xffffffff;
/** The unit after the dot: texts from `x.` up to `x/` begin with `x.`. */
const AFTER_DOT = '/';
const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The most UTF-16 units that highlighting adds to the hits of one search. A page of 1,000 long hits with common tags stays far below; the
 * longest tags before every word of a few long texts would make answers of gigabytes.
 */
const MAX_ADDED_UNITS = 32 << 20;

export interface HitFormatterInput {
  /** Flattened names in field-id order. */
  readonly fieldNames: readonly string[];
  readonly settings: Pick<
    IndexSettings,
    'displayedAttributes' | 'localizedAttributes' | 'embedders' | 'substringAttributes'
  >;
  /** The formatting tokenizer: no stop words. */
  readonly tokenizer: Tokenizer;
  readonly terms: readonly LocatedTerm[];
  readonly params: HitParams;
  /** On the clock of performance.now(); texts formatted later are shown unchanged. No deadline when absent. */
  readonly deadlineMs?: number;
}

/** A match in a value; `indices` are those of the enclosing arrays, from the outermost in. */
export interface MatchPosition extends MatchBounds {
  readonly indices?: readonly number[];
}
export type MatchPositions = Record<string, MatchPosition[]>;

/** The texts of a hit that are formatted, and the positions of their matches. */
export interface FormattedTexts {
  readonly formatted: Readonly<JsonObject> | undefined;
  readonly matchesPosition: MatchPositions | undefined;
}

/** Formats the texts of hits: highlights, crops and finds matches. O(terms) to make it, O(document) for each. */
export class LeafFormatter {
  private readonly input: HitFormatterInput;
  private readonly plan: FieldPlan;
  private readonly lookup: TermLookup;
  private readonly markers: Markers;
  private readonly formatNames: Selectors;
  private readonly boundNames: Selectors | undefined;
  private readonly leafFormats: LeafFormats;
  private readonly formatByPath = new Map<string, TextFormat>();
  private readonly localesByPath = new Map<string, readonly string[] | undefined>();
  private readonly wantsBounds: boolean;
  /** UTF-16 units that tags have added to all hits. */
  private addedUnits = 0;

  constructor(input: HitFormatterInput, plan: FieldPlan) {
    this.input = input;
    this.plan = plan;
    const { params, terms } = input;
    this.lookup = lookUpTerms(terms);
    this.markers = { preTag: params.highlightPreTag, postTag: params.highlightPostTag, cropMarker: params.cropMarker };
    this.formatNames = new Selectors(plan.formats.keys());
    this.boundNames = plan.displayed === undefined ? undefined : new Selectors(plan.displayed);
    this.leafFormats = new LeafFormats(plan.formats);
    this.wantsBounds = params.showMatchesPosition;
  }

  format(stored: JsonObject): FormattedTexts {
    const { formats } = this.plan;
    const names = this.wantsBounds ? this.boundNames : this.formatNames;
    const source = names === undefined ? stored : selectFields(stored, names);
    const positions = new Map<string, MatchPosition[]>();
    const whole = this.formatObject(source, '', [], positions);
    const formatted = formats.size > 0 ? selectFields(whole, this.formatNames) : undefined;
    return { formatted, matchesPosition: this.wantsBounds ? sortedByPath(positions) : undefined };
  }

  private formatObject(
    object: JsonObject,
    prefix: string,
    indices: readonly number[],
    positions: Map<string, MatchPosition[]>,
  ): JsonObject {
    const formatted: JsonObject = {};
    const names = memberNames(object);
    for (const key of names) {
      setOwn(formatted, key, this.formatValue(object[key], `${prefix}${key}`, indices, positions));
    }
    return inOrder(formatted, names);
  }

  private formatValue(
    value: unknown,
    path: string,
    indices: readonly number[],
    positions: Map<string, MatchPosition[]>,
  ): unknown {
    if (typeof value === 'string') return this.formatLeaf(value, path, indices, positions);
    if (typeof value === 'number' || typeof value === 'bigint' || value instanceof LosslessFloat) {
      return this.formatLeaf(String(value), path, indices, positions);
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => this.formatValue(item, path, [...indices, index], positions));
    }
    return isJsonObject(value) ? this.formatObject(value, `${path}.`, indices, positions) : value;
  }

  private formatLeaf(
    text: string,
    path: string,
    indices: readonly number[],
    positions: Map<string, MatchPosition[]>,
  ): string {
    const { tokenizer } = this.input;
    const format = this.formatOf(path);
    if (this.isOver()) return text;
    const { wantsBounds, markers, lookup } = this;
    const hasInfixes = lookup.infixTerms.length > 0 && isSubstringField(path, this.input.settings);
    const locales = this.localesOf(path);
    const result = formatText(text, format, { wantsBounds, markers, lookup, tokenizer, locales, hasInfixes });
    this.addedUnits += Math.max(0, result.text.length - text.length);
    if (result.bounds.length > 0) {
      const added = result.bounds.map((bounds) => (indices.length > 0 ? { ...bounds, indices } : bounds));
      // Values of one path do not add up: the last one with a match is reported (recorded behaviour).
      positions.set(path, added);
    }
    return result.text;
  }

  /**
   * Whether the time or the limit for tags is used up: remaining texts are shown unchanged. A text is never stopped half
   * way.
   */
  private isOver(): boolean {
    const { deadlineMs = Number.POSITIVE_INFINITY } = this.input;
    return this.addedUnits > MAX_ADDED_UNITS || isPast(deadlineMs);
  }

  private formatOf(path: string): TextFormat {
    let format = this.formatByPath.get(path);
    if (format === undefined) {
      format = this.leafFormats.of(path);
      this.formatByPath.set(path, format);
    }
    return format;
  }

  private localesOf(path: string): readonly string[] | undefined {
    const { params, settings } = this.input;
    if (params.locales !== null) return params.locales;
    if (settings.localizedAttributes === null) return undefined;
    if (!this.localesByPath.has(path)) this.localesByPath.set(path, localesOf(path, settings));
    return this.localesByPath.get(path);
  }
}

function sortedByPath(positions: ReadonlyMap<string, MatchPosition[]>): MatchPositions {
  const sorted: MatchPositions = {};
  for (const path of [...positions.keys()].sort()) setOwn(sorted, path, positions.get(path)!);
  return sorted;
}

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
    return partitionPoint(0, this.names.length, (at) => this.names[at]! < text);
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
