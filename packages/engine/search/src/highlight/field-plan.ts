import { VECTORS_FIELD } from '@fossick/documents';
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
