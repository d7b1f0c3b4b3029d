import { useEffect, useReducer, useRef } from 'react';
import { searchOfHash, searchPath } from './search-address.js';
import { changeSearch, EMPTY_SEARCH, type SearchAction, type SearchState } from './search-state.js';

/** Searches of this visit, by index: who comes back to a search finds it as it was left. */
const kept = new Map<string, SearchState>();
/** Typing is written into the address when it has paused for so long: browsers refuse to have it changed with every letter. */
const TYPING_PAUSE_MS = 400;

/**
 * The search of an index. It stands in the address of the page: a reload or a link shows it again, and going back undoes what was picked, while
 * letters that were typed are no steps of their own.
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

/** Whether the page shows searches of this index: who has gone elsewhere meanwhile is not brought back. */
const isAt = (uid: string): boolean => `${location.hash}/`.startsWith(`#${searchPath(uid, EMPTY_SEARCH)}/`);
