import { useEffect, useReducer, useRef } from 'react';
import { searchOfHash, searchPath } from './search-address.js';
import { changeSearch, EMPTY_SEARCH, type SearchAction, type SearchState } from './search-state.js';

/** Searches of this visit by index, restored when the user returns. */
const kept = new Map<string, SearchState>();
/** Typed text is written to the address after this pause: browsers reject changes with every letter. */
const TYPING_PAUSE_MS = 400;

/**
 * The search of an index. It is part of the page's address: a reload or a link restores it, and going back undoes selections, while typed
 * letters are no history entries of their own.
 */
export function useSearchState(uid: string): [SearchState, (action: SearchAction) => void] {
  const [state, dispatch] = useReducer(
    changeSearch,
    null,
    () => searchOfHash(location.hash) ?? kept.get(uid) ?? EMPTY_SEARCH,
  );
  const written = useRef<SearchState | null>(null);
  useEffect(() => void kept.set(uid, state), [uid, state]);
  useEffect(() => {
    const before = written.current;
    const write = (isStep: boolean): void => {
      written.current = state;
      const place = `#${searchPath(uid, state)}`;
      if (place === location.hash || !isAt(uid)) return;
      history[isStep ? 'pushState' : 'replaceState'](null, '', place);
    };
    if (before === null || before === state) return write(false);
    if (before.q === state.q) return write(true);
    const timer = setTimeout(() => write(false), TYPING_PAUSE_MS);
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
