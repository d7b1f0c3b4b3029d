import { inOrder, memberNames, setOwn } from '@fossick/base';
import { visibleForeign } from '@fossick/columns';
import {
  foreignVectors,
  idText,
  inFieldOrder,
  isJsonObject,
  type JsonObject,
  selectFields,
  visitValuesAt,
} from '@fossick/documents';
import type { ForeignScope, IndexView } from '@fossick/index';
import { coversField } from '@fossick/settings';
import type { SearchHit } from '../request/search-response.js';

/** A hit and its view. */
export interface HitOfView {
  readonly hit: SearchHit;
  readonly view: Pick<IndexView, 'settings' | 'withForeign'>;
}
/** Documents of a foreign index by id, as displayed; undefined when there is none. */
type Shown = ReadonlyMap<string, JsonObject>;

/** Members of a hit that are no fields of its document. */
const DECORATIONS = new Set([
  '_formatted',
  '_federation',
  '_geoDistance',
  '_matchesPosition',
  '_rankingScore',
  '_rankingScoreDetails',
  '_vectors',
]);

/**
 * The hits of one answer with the ids at their foreign keys replaced by the documents they name, or `{}` when there is none. An id must
 * be a value of the field itself in one of the hits; then it is replaced wherever it occurs in or around the field, in `_formatted` as
 * well, unless highlighting changed it. Ids of an index that the request may not see stay, and a document that it may not see counts as
 * missing. The given hits are not modified. O(hits * keys), and one read for each id.
 * @throws ApiError index_not_found when ids must be looked up in an index that may be seen and does not exist
 */
export function hydrateHits(hits: readonly HitOfView[]): SearchHit[] {
  const wanted = new Map<string, Set<string>>();
  for (const { hit, view } of hits) {
    for (const { foreignIndexUid, fieldName } of view.settings.foreignKeys) {
      const ids = wanted.get(foreignIndexUid) ?? new Set();
      wanted.set(foreignIndexUid, ids);
      visitValuesAt(documentOf(hit), fieldName, (value) => addIds(value, ids));
    }
  }
  const shownByIndex = new Map<string, Shown>();
  const open = hits[0]?.view.withForeign;
  for (const [uid, ids] of wanted) {
    if (ids.size === 0 || open === undefined) continue;
    const shown = open(uid, (scope) => (scope.isAllowed ? shownDocuments(scope, ids) : undefined));
    if (shown !== undefined) shownByIndex.set(uid, shown);
  }
  return hits.map(({ hit, view }) => {
    let hydrated = hit;
    for (const { foreignIndexUid, fieldName } of view.settings.foreignKeys) {
      const shown = shownByIndex.get(foreignIndexUid);
      if (shown !== undefined) hydrated = hydrate(hydrated, fieldName, shown);
    }
    return hydrated;
  });
}

function documentOf(hit: SearchHit): JsonObject {
  return Object.fromEntries(Object.entries(hit).filter(([name]) => !DECORATIONS.has(name)));
}

/** A list counts up to its first item that is no id (recorded behaviour). */
function addIds(value: unknown, ids: Set<string>): void {
  for (const item of Array.isArray(value) ? value : [value]) {
    const id = idText(item);
    if (id === undefined) return;
    ids.add(id);
  }
}

/** Documents as their own index displays them, without vectors of its embedders. */
function shownDocuments(scope: Extract<ForeignScope, { isAllowed: true }>, ids: ReadonlySet<string>): Shown {
  const { view } = scope;
  const { settings, fieldNames, kernel } = view;
  const visible = visibleForeign(scope);
  const order = new Map(fieldNames.map((name, id) => [name, id]));
  const show = (document: JsonObject): JsonObject => {
    const { _vectors: _owned, ...fields } = document;
    const vectors = foreignVectors(document, settings);
    const whole = inFieldOrder(vectors === undefined ? fields : { ...fields, _vectors: vectors }, order, true);
    return settings.displayedAttributes.includes('*') ? whole : selectFields(whole, settings.displayedAttributes);
  };
  const shown = new Map<string, JsonObject>();
  for (const id of ids) {
    const docId = view.docIdOf(id);
    const document = docId === undefined || !kernel.bitmaps.has(visible, docId) ? undefined : view.document(docId);
    shown.set(id, document === undefined ? {} : show(document));
  }
  return shown;
}

function hydrate(hit: SearchHit, field: string, shown: Shown): SearchHit {
  const hydrated: SearchHit = {};
  const names = memberNames(hit);
  for (const name of names) {
    const value = hit[name];
    if (name === '_formatted' && isJsonObject(value)) hydrated._formatted = replacedIn(value, '', field, shown);
    else setOwn(hydrated, name, DECORATIONS.has(name) ? value : replaced(value, name, field, shown));
  }
  return inOrder(hydrated, names);
}

function replacedIn(object: JsonObject, prefix: string, field: string, shown: Shown): JsonObject {
  const copy: JsonObject = {};
  const names = memberNames(object);
  for (const key of names) setOwn(copy, key, replaced(object[key], `${prefix}${key}`, field, shown));
  return inOrder(copy, names);
}

function replaced(value: unknown, path: string, field: string, shown: Shown): unknown {
  if (!coversField(field, path) && !coversField(path, field)) return value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, path, field, shown));
  if (isJsonObject(value)) return replacedIn(value, `${path}.`, field, shown);
  const id = idText(value);
  return (id === undefined ? undefined : shown.get(id)) ?? value;
}
