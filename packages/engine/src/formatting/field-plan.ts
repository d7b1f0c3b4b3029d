import type { SearchRequest } from '../search/request.js';
import type { IndexSettings } from '../settings/settings.js';
import type { TextFormat } from './text-formatter.js';

export const VECTORS_FIELD = '_vectors';

/** The parameters of a search that shape its hits. */
export type HitParams = Pick<
  SearchRequest,
  | 'attributesToRetrieve'
  | 'attributesToHighlight'
  | 'attributesToCrop'
  | 'cropLength'
  | 'cropMarker'
  | 'highlightPreTag'
  | 'highlightPostTag'
  | 'showMatchesPosition'
  | 'sort'
  | 'locales'
  | 'retrieveVectors'
>;

/** Which fields a request shows, and how. Undefined sets stand for every field. */
export interface FieldPlan {
  readonly displayed: ReadonlySet<string> | undefined;
  readonly retrieved: ReadonlySet<string> | undefined;
  readonly showsVectors: boolean;
  /** Formats by field name in field-id order; empty when there is nothing to format. */
  readonly formats: ReadonlyMap<string, TextFormat>;
}

const PLAIN: TextFormat = { isHighlighted: false, cropWords: null };
const UNSIGNED = /^\+?[0-9]+$/;

/** Reads settings and parameters once for all hits (spec 13 sections 1.1 and 2). O(fields + attributes). */
export function planFields(
  fieldNames: readonly string[],
  settings: Pick<IndexSettings, 'displayedAttributes'>,
  params: HitParams,
): FieldPlan {
  const displaysAll = settings.displayedAttributes.includes('*');
  const listed = new Set(settings.displayedAttributes);
  const displayedNames = fieldNames.filter((name) => displaysAll || listed.has(name));
  const displayed = new Set(displayedNames);
  const asked = params.attributesToRetrieve;
  const retrievesAll = asked === null || asked.includes('*');
  const retrieved = retrievesAll ? displayed : new Set(asked.filter((name) => displayed.has(name)));
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
  // a name that comes again changes nothing: `*` is worked out once, however often it is listed
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

/** Lengths by name, in the order in which the last entry of each stands: it is the one that counts. */
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

/** A format with the place of the field whose length it is: of several the first field's counts. */
interface PlacedFormat extends TextFormat {
  readonly place: number;
}

/** The formats of fields made ready to be asked for leaves. */
export class LeafFormats {
  readonly #own = new Map<string, PlacedFormat>();
  /** What the fields below a name come to, by that name. */
  readonly #below = new Map<string, PlacedFormat>();

  /** O(fields, by the dots in the name of each). */
  constructor(formats: ReadonlyMap<string, TextFormat>) {
    let place = 0;
    for (const [name, format] of formats) {
      const placed = { ...format, place: place++ };
      this.#own.set(name, placed);
      for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
        const parent = name.slice(0, dot);
        this.#below.set(parent, merged(this.#below.get(parent), placed));
      }
    }
  }

  /** The format of a leaf: that of the fields it equals, lies below or lies above, merged. O(dots of the path). */
  of(path: string): TextFormat {
    let found = merged(this.#own.get(path), this.#below.get(path));
    for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1))
      found = merged(found, this.#own.get(path.slice(0, dot)));
    return { isHighlighted: found.isHighlighted, cropWords: found.cropWords };
  }
}

const NOWHERE: PlacedFormat = { ...PLAIN, place: Number.POSITIVE_INFINITY };

function merged(left: PlacedFormat = NOWHERE, right: PlacedFormat = NOWHERE): PlacedFormat {
  const isRight = left.cropWords === null || (right.cropWords !== null && right.place < left.place);
  const { cropWords, place } = isRight ? right : left;
  return { isHighlighted: left.isHighlighted || right.isHighlighted, cropWords, place };
}
