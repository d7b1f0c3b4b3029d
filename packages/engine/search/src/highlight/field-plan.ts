import { NamedParents, VECTORS_FIELD } from '@fossick/documents';
import type { IndexSettings } from '@fossick/settings';

import type { TextFormat } from './text-formatter.js';

/** The parameters of a search that shape its hits. */
export interface HitParams {
  readonly attributesToRetrieve: readonly string[] | null;
  readonly attributesToHighlight: readonly string[] | null;
  /** `name` or `name:wordCount`. */
  readonly attributesToCrop: readonly string[] | null;
  readonly cropLength: number;
  readonly cropMarker: string;
  readonly highlightPreTag: string;
  readonly highlightPostTag: string;
  readonly showMatchesPosition: boolean;
  readonly sort: readonly string[] | null;
  /** ISO 639 codes, known to be supported. */
  readonly locales: readonly string[] | null;
  readonly retrieveVectors: boolean;
}

/** Which fields a request shows, and how. An undefined set means every field. */
export interface FieldPlan {
  readonly displayed: ReadonlySet<string> | undefined;
  readonly retrieved: ReadonlySet<string> | undefined;
  readonly showsVectors: boolean;
  /** Formats by field name in field-id order; empty when there is nothing to format. */
  readonly formats: ReadonlyMap<string, TextFormat>;
}

const PLAIN: TextFormat = { isHighlighted: false, cropWords: null };
const UNSIGNED = /^\+?[0-9]+$/;

/** To be made once for all hits of a search. O(fields + attributes). */
export function planFields(
  fieldNames: readonly string[],
  settings: Pick<IndexSettings, 'displayedAttributes'>,
  params: HitParams,
): FieldPlan {
  const displaysAll = settings.displayedAttributes.includes('*');
  const listed = new Set(settings.displayedAttributes);
  const displayedNames = fieldNames.filter((name) => displaysAll || listed.has(name));
  const displayed = new Set(displayedNames);
  const requested = params.attributesToRetrieve;
  const retrievesAll = requested === null || requested.includes('*');
  const retrieved = retrievesAll ? displayed : new Set(requested.filter((name) => displayed.has(name)));
  const knowsVectors = fieldNames.includes(VECTORS_FIELD);
  const formats = planFormats(displayedNames, displayed, retrieved, params);
  return {
    displayed: displaysAll ? undefined : displayed,
    retrieved: displaysAll && retrievesAll ? undefined : retrieved,
    // With an explicit list the reference inverts the test once the field is known (section 1.1).
    showsVectors: params.retrieveVectors && (displaysAll || listed.has(VECTORS_FIELD) !== knowsVectors),
    formats,
  };
}

function planFormats(
  displayedNames: readonly string[],
  displayed: ReadonlySet<string>,
  retrieved: ReadonlySet<string>,
  params: HitParams,
): ReadonlyMap<string, TextFormat> {
  const formats = new Map<string, TextFormat>();
  const namesOf = (attribute: string): readonly string[] =>
    attribute === '*' ? displayedNames : displayed.has(attribute) ? [attribute] : [];
  // duplicates have no effect, so `*` is expanded only once
  for (const attribute of new Set(params.attributesToHighlight ?? [])) {
    for (const name of namesOf(attribute)) formats.set(name, { isHighlighted: true, cropWords: null });
  }
  for (const [cropped, words] of cropLengths(params)) {
    for (const name of namesOf(cropped)) {
      formats.set(name, { isHighlighted: formats.get(name)?.isHighlighted ?? false, cropWords: words });
    }
  }
  if (formats.size === 0) return formats;
  for (const name of retrieved) if (!formats.has(name)) formats.set(name, PLAIN);
  const inOrder = new Map<string, TextFormat>();
  for (const name of displayedNames) {
    const format = formats.get(name);
    if (format !== undefined) inOrder.set(name, format);
  }
  return inOrder;
}

/** Crop lengths by name. The last entry of a name counts, and its index gives the order. */
function cropLengths({ attributesToCrop, cropLength }: HitParams): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  for (const attribute of attributesToCrop ?? []) {
    const { name, words } = readCrop(attribute, cropLength);
    lengths.delete(name);
    lengths.set(name, words);
  }
  return lengths;
}

function readCrop(attribute: string, cropLength: number): { readonly name: string; readonly words: number } {
  const colon = attribute.lastIndexOf(':');
  if (colon === -1) return { name: attribute, words: cropLength };
  const words = attribute.slice(colon + 1);
  return { name: attribute.slice(0, colon), words: UNSIGNED.test(words) ? Number(words) : cropLength };
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
   * The format of a leaf: that of the fields it equals, lies below or lies above; of several crop lengths the first field's
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
