import { useEffect, useReducer, useRef } from 'react';
import { searchOfHash, searchPath } from './search-address.js';
import { changeSearch, EMPTY_SEARCH, type SearchAction, type SearchState } from './search-state.js';

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
