import { collectFacetValues, distanceMetres } from '@fossick/columns';
import { type ExactNumber, numberIn } from '@fossick/documents';
import { parseSort, type SortEntry } from '@fossick/filter';
import { normalizeFacet } from '@fossick/tokenizer';
import { distinctEntries } from '../documents/sort-entries.js';
import { mergeRanked } from '../ranked/merge-ranked.js';
import type { Ranked, ScoreItem } from '../ranked/score-items.js';

type Document = Readonly<Record<string, unknown>>;

/**
 * Documents of several instances, each list sorted on its own, as one list: by `sort`, ties in the order of the lists;
 * without `sort` the lists are concatenated. O(documents x lists).
 */
export function mergeDocuments(lists: readonly (readonly Document[])[], sort: readonly string[]): Document[] {
  const entries = distinctEntries(parseSort(sort));
  if (entries.length === 0) return lists.flat();
  const ranked = lists.map((list, queryPosition) =>
    list.map((document): Ranked & { readonly document: Document } => {
      const items = entries.map((entry) => sortItem(document, entry));
      return { document, items, weightedScore: 0, queryPosition };
    }),
  );
  return [...mergeRanked(ranked)].map(({ document }) => document);
}

/** The sort value of a document as in an index: its first number in the direction, or its first text, or nothing. */
function sortItem(document: Document, entry: SortEntry): ScoreItem {
  const isAscending = entry.direction === 'asc';
  const value = entry.kind === 'geo' ? distanceTo(document, entry) : firstValue(document, entry.field, isAscending);
  return { kind: 'sort', isAscending, value };
}

function firstValue(document: Document, field: string, isAscending: boolean): ExactNumber | string | null {
  const numbers: ExactNumber[] = [];
  const texts: string[] = [];
  collectFacetValues(
    document,
    (name) => name === field,
    (_name, _kind, value) => {
      if (typeof value === 'string') texts.push(normalizeFacet(value));
      else if (value !== undefined) numbers.push(value);
    },
  );
  const first = <T extends ExactNumber | string>(values: readonly T[]): T | null =>
    values.length === 0 ? null : values.reduce((best, value) => (value < best === isAscending ? value : best));
  return first(numbers) ?? first(texts);
}

function distanceTo(document: Document, { lat, lng }: Extract<SortEntry, { kind: 'geo' }>): number | null {
  const found = new Map<string, number>();
  collectFacetValues(
    document,
    (name) => name === '_geo' || name.startsWith('_geo.'),
    (name, kind, value) => {
      const number = numberIn(value);
      if (kind === 'number' && number !== undefined) found.set(name, number);
    },
  );
  const [ownLat, ownLng] = [found.get('_geo.lat'), found.get('_geo.lng')];
  return ownLat === undefined || ownLng === undefined ? null : distanceMetres(lat, lng, ownLat, ownLng);
}
