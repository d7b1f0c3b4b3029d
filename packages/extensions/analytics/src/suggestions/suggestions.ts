import { createHash } from 'node:crypto';
import { normalQuery } from '../counts/normal-query.js';
import type { SuggestionSettings } from '../description.js';
import type { HourDocument } from '../documents/port.js';

export const DEFAULT_SUGGESTIONS: SuggestionSettings = {
  enabled: false,
  indexUid: 'query_suggestions',
  sources: null,
  minSearches: 5,
  minUsers: 0,
  days: 30,
  maxSuggestions: 1_000,
  denied: [],
};

/** A document of the index of suggestions. */
export interface Suggestion {
  readonly id: string;
  readonly query: string;
  readonly index: string;
  readonly searches: number;
  readonly clicks: number;
}

/** The shortest query that is suggested, in UTF-16 units. */
const QUERY_UNITS_MIN = 2;

/**
 * The most searched queries of rows that find something, the most searched first. A query counts as finding something when
 * fewer than half of its searches were without hits. O(rows * denied)
 */
export function makeSuggestions(rows: readonly HourDocument[], settings: SuggestionSettings): Suggestion[] {
  const { sources, minSearches, minUsers, maxSuggestions } = settings;
  const denied = settings.denied.map((text) => wordsOf(normalQuery(text))).filter((text) => text.trim() !== '');
  const isDenied = (query: string): boolean => denied.some((text) => wordsOf(query).includes(text));
  const found = new Map<
    string,
    { index: string; query: string; searches: number; empty: number; clicks: number; users: number }
  >();
  for (const { kind, index, query = '', searches, withoutHits, clicks, users = 0 } of rows) {
    if (kind !== 'query' || query.length < QUERY_UNITS_MIN || (sources !== null && !sources.includes(index))) continue;
    const key = `${index} ${query}`;
    const known = found.get(key) ?? { index, query, searches: 0, empty: 0, clicks: 0, users: 0 };
    found.set(key, known);
    known.searches += searches;
    known.empty += withoutHits;
    known.clicks += clicks;
    known.users = Math.max(known.users, users);
  }
  return [...found.values()]
    .filter(({ searches, empty, users }) => searches >= minSearches && users >= minUsers && empty * 2 < searches)
    .filter(({ query }) => !isDenied(query))
    .sort((a, b) => b.searches - a.searches || (a.query < b.query ? -1 : 1))
    .slice(0, maxSuggestions)
    .map(({ index, query, searches, clicks }) => ({ id: idOf(index, query), query, index, searches, clicks }));
}

/** The words of a query between single spaces, without the signs around them. */
const wordsOf = (query: string): string => ` ${query.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;

const idOf = (index: string, query: string): string =>
  createHash('sha256')
    .update(JSON.stringify([index, query]))
    .digest('hex')
    .slice(0, 32);
