import { useEffect, useReducer, useRef } from 'react';
import { indexPath } from '../../parts/current-index.js';
import { readOptions, writeOptions } from '../../parts/search-options.js';
import { changeSearch, EMPTY_SEARCH, type SearchAction, type SearchState } from './search-state.js';

/** Prefixes of the names of selected values, of ranges and of paths, before the attribute's name. */
const [PICKED, RANGE, UNDER] = ['is.', 'in.', 'under.'];

/** Searches of this visit by index, restored when the user returns. */
const kept = new Map<string, SearchState>();
/** Typed text is written to the address after this pause: browsers reject changes with every letter. */
const TYPING_PAUSE_MS = 400;

/**
 * The search of an index. It is part of the page's address: a reload or a link restores it, and going back undoes
 * selections, while typed letters are no history entries of their own.
 */
export function useSearchState(uid: string): [SearchState, (action: SearchAction) => void] {
  const [state, dispatch] = useReducer(
    changeSearch,
    null,
    () => searchOfHash(location.hash) ?? kept.get(uid) ?? EMPTY_SEARCH,
  );
  const written = useRef<SearchState | null>(null);
  const shown = useRef(state);
  useEffect(() => void kept.set(uid, state), [uid, state]);
  useEffect(() => {
    const last = shown.current;
    shown.current = state;
    const write = (search: SearchState, isStep: boolean): void => {
      written.current = search;
      const place = `#${searchPath(uid, search)}`;
      if (place === location.hash || !isAt(uid)) return;
      history[isStep ? 'pushState' : 'replaceState'](null, '', place);
    };
    if (written.current === null || written.current === state) return write(state, false);
    if (last.q === state.q) {
      // the text that was typed just before is in the entry that going back returns to
      if (last !== written.current) write(last, false);
      return write(state, true);
    }
    const timer = setTimeout(() => write(state, false), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [uid, state]);
  useEffect(() => {
    const restore = (): void => {
      if (!isAt(uid)) return;
      written.current = searchOfHash(location.hash) ?? EMPTY_SEARCH;
      dispatch({ kind: 'restore', state: written.current });
    };
    window.addEventListener('hashchange', restore);
    return () => window.removeEventListener('hashchange', restore);
  }, [uid]);
  return [state, dispatch];
}

/** Whether the page still shows searches of this index. */
const isAt = (uid: string): boolean => `${location.hash}/`.startsWith(`#${searchPath(uid, EMPTY_SEARCH)}/`);

/** The path of a search within the page: what differs from an empty search follows the view's own path. */
export function searchPath(uid: string, state: SearchState): string {
  const written = new URLSearchParams();
  if (state.q !== '') written.set('q', state.q);
  if (state.page !== 1) written.set('page', String(state.page));
  if (state.sort !== null) written.set('sort', state.sort);
  if (state.embedder !== null) {
    written.set('embedder', state.embedder);
    written.set('meaning', String(state.semanticRatio));
  }
  writeOptions(written, state.options);
  for (const [attribute, values] of Object.entries(state.picked))
    for (const value of values) written.append(PICKED + attribute, value);
  for (const [attribute, [lowest, highest]] of Object.entries(state.ranges))
    written.set(RANGE + attribute, `${lowest}~${highest}`);
  for (const [attribute, path] of Object.entries(state.under)) written.set(UNDER + attribute, path);
  const text = written.toString();
  return indexPath(uid) + (text === '' ? '' : `/${text}`);
}

/** The search of a path (`#/index/films/search/q=star`); null when it has none. Invalid parts are ignored. */
export function searchOfHash(hash: string): SearchState | null {
  const text = /^#?\/index\/[^/]+\/search\/(.+)$/.exec(hash)?.[1];
  if (text === undefined) return null;
  const read = new URLSearchParams(text);
  const page = Number(read.get('page'));
  const ratio = Number(read.get('meaning') ?? Number.NaN);
  const picked = new Map<string, string[]>();
  const ranges = new Map<string, readonly [number, number]>();
  const under = new Map<string, string>();
  for (const [name, value] of read) {
    if (name.startsWith(PICKED)) {
      const attribute = name.slice(PICKED.length);
      picked.set(attribute, [...(picked.get(attribute) ?? []), value]);
    } else if (name.startsWith(RANGE)) {
      const [lowest = Number.NaN, highest = Number.NaN] = value.split('~').map(Number);
      if (lowest <= highest) ranges.set(name.slice(RANGE.length), [lowest, highest]);
    } else if (name.startsWith(UNDER)) under.set(name.slice(UNDER.length), value);
  }
  return {
    q: read.get('q') ?? '',
    page: Number.isSafeInteger(page) && page > 1 ? page : 1,
    sort: read.get('sort'),
    embedder: read.get('embedder'),
    semanticRatio: ratio >= 0 && ratio <= 1 ? ratio : EMPTY_SEARCH.semanticRatio,
    options: readOptions(read),
    picked: Object.fromEntries(picked),
    ranges: Object.fromEntries(ranges),
    under: Object.fromEntries(under),
  };
}
