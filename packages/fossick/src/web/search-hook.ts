import type { SearchAnswer, SearchParameters } from '../search-types.js';
import type { ReadableIndex } from './readable-index.js';

/** The two hooks that are used: those of React, Preact or another library with the same rules. */
export interface Hooks {
  useEffect(effect: () => (() => void) | undefined, dependencies: readonly unknown[]): void;
  useState<S>(initial: S): [S, (next: S) => void];
}

/** What a component shows: the last answer stays until the next one is there. */
export interface SearchState<T extends object> {
  readonly answer: SearchAnswer<T> | undefined;
  readonly error: unknown;
  /** Whether an answer to the present query is on its way. */
  readonly isSearching: boolean;
}

/**
 * Makes a hook that searches an index while a component is shown: `const useSearch = searchHook(React)`. Answers to earlier
 * queries are dropped. Parameters may be a new object each time.
 */
export function searchHook({ useEffect, useState }: Hooks) {
  return function useSearch<T extends object>(
    index: Pick<ReadableIndex<T>, 'search'> | undefined,
    q: string,
    parameters?: SearchParameters<T>,
  ): SearchState<T> {
    const key = JSON.stringify([q, parameters]);
    const [found, setFound] = useState<{ readonly key: string; readonly state: Omit<SearchState<T>, 'isSearching'> }>({
      key: '',
      state: { answer: undefined, error: undefined },
    });
    useEffect(() => {
      let isOver = false;
      const put = (state: Omit<SearchState<T>, 'isSearching'>): void => {
        if (!isOver) setFound({ key, state });
      };
      index?.search(q, parameters).then(
        (answer) => put({ answer: answer as SearchAnswer<T>, error: undefined }),
        (error: unknown) => put({ answer: undefined, error }),
      );
      return () => {
        isOver = true;
      };
    }, [index, key]);
    return { ...found.state, isSearching: index !== undefined && found.key !== key };
  };
}
