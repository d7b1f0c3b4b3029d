import { inOrder, isPast, memberNames, setOwn } from '@fossick/base';
import { isJsonObject, type JsonObject, LosslessFloat, Selectors, selectFields } from '@fossick/documents';
import { type IndexSettings, isSubstringField, localesOf } from '@fossick/settings';
import type { Tokenizer } from '@fossick/tokenizer';
import type { FieldPlan, HitParams } from './field-plan.js';
import { LeafFormats } from './leaf-formats.js';
import { type LocatedTerm, lookUpTerms, type TermLookup } from './matching-terms.js';
import { formatText, type Markers, type MatchBounds, type TextFormat } from './text-formatter.js';

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
