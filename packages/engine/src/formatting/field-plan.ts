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
  for (const attribute of params.attributesToHighlight ?? []) {
    for (const name of namesOf(attribute)) formats.set(name, { isHighlighted: true, cropWords: null });
  }
  for (const attribute of params.attributesToCrop ?? []) {
    const { name: cropped, words } = readCrop(attribute, params.cropLength);
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

function readCrop(attribute: string, cropLength: number): { readonly name: string; readonly words: number } {
  const colon = attribute.lastIndexOf(':');
  if (colon === -1) return { name: attribute, words: cropLength };
  const words = attribute.slice(colon + 1);
  return { name: attribute.slice(0, colon), words: UNSIGNED.test(words) ? Number(words) : cropLength };
}

/** The format of a leaf: that of the fields it equals, lies below or lies above, merged. O(formats). */
export function formatOfLeaf(formats: ReadonlyMap<string, TextFormat>, path: string): TextFormat {
  let isHighlighted = false;
  let cropWords: number | null = null;
  for (const [name, format] of formats) {
    if (name !== path && !name.startsWith(`${path}.`) && !path.startsWith(`${name}.`)) continue;
    isHighlighted ||= format.isHighlighted;
    cropWords ??= format.cropWords;
  }
  return { isHighlighted, cropWords };
}
