import { NO_OPTIONS, type SearchOptions } from '../../parts/search-options.js';

/** The search that the user has set. */
export interface SearchState {
  readonly q: string;
  /** From 1. */
  readonly page: number;
  /** Selected values by attribute: OR within an attribute, AND between attributes. */
  readonly picked: Readonly<Record<string, readonly string[]>>;
  /** Lowest and highest number, by attribute. */
  readonly ranges: Readonly<Record<string, readonly [number, number]>>;
  /** The path that hits are below, by attribute whose values are paths. */
  readonly under: Readonly<Record<string, string>>;
  /** `attribute:asc`, `attribute:desc`, or null for relevance only. */
  readonly sort: string | null;
  /** The embedder of a hybrid search; null for a keyword search. */
  readonly embedder: string | null;
  /** 0: keywords only, 1: vectors only. */
  readonly semanticRatio: number;
  /** What differs from the settings of the index. */
  readonly options: SearchOptions;
}
export type SearchAction =
  | { readonly kind: 'query'; readonly q: string }
  | { readonly kind: 'page'; readonly page: number }
  | { readonly kind: 'pick'; readonly attribute: string; readonly values: readonly string[] }
  | { readonly kind: 'range'; readonly attribute: string; readonly range: readonly [number, number] | null }
  | { readonly kind: 'under'; readonly attribute: string; readonly path: string | null }
  | { readonly kind: 'sort'; readonly sort: string | null }
  | { readonly kind: 'hybrid'; readonly embedder: string | null; readonly semanticRatio: number }
  | { readonly kind: 'options'; readonly options: SearchOptions }
  | { readonly kind: 'clear' }
  | { readonly kind: 'restore'; readonly state: SearchState };

export const EMPTY_SEARCH: SearchState = {
  q: '',
  page: 1,
  picked: {},
  ranges: {},
  under: {},
  sort: null,
  embedder: null,
  semanticRatio: 0.5,
  options: NO_OPTIONS,
};

/** Any change of the hits returns to the first page. */
export function changeSearch(state: SearchState, action: SearchAction): SearchState {
  const first = { ...state, page: 1 };
  switch (action.kind) {
    case 'query':
      return { ...first, q: action.q };
    case 'page':
      return { ...state, page: action.page };
    case 'pick': {
      const { [action.attribute]: _before, ...others } = state.picked;
      return {
        ...first,
        picked: action.values.length === 0 ? others : { ...others, [action.attribute]: action.values },
      };
    }
    case 'range': {
      const { [action.attribute]: _before, ...others } = state.ranges;
      return { ...first, ranges: action.range === null ? others : { ...others, [action.attribute]: action.range } };
    }
    case 'under': {
      const { [action.attribute]: _before, ...others } = state.under;
      return { ...first, under: action.path === null ? others : { ...others, [action.attribute]: action.path } };
    }
    case 'sort':
      return { ...first, sort: action.sort };
    case 'hybrid':
      return { ...first, embedder: action.embedder, semanticRatio: action.semanticRatio };
    case 'options':
      return { ...first, options: action.options };
    case 'clear':
      return { ...first, picked: {}, ranges: {}, under: {} };
    case 'restore':
      return action.state;
  }
}

/** The number of filtered attributes. */
export function filterCount({ picked, ranges, under }: SearchState): number {
  return Object.keys(picked).length + Object.keys(ranges).length + Object.keys(under).length;
}
