/** What is searched for in an index, as the person has set it. */
export interface SearchState {
  readonly q: string;
  /** From 1. */
  readonly page: number;
  /** Values picked per attribute: one of an attribute's is enough, every attribute has to agree. */
  readonly picked: Readonly<Record<string, readonly string[]>>;
  /** Lowest and highest number wanted, per attribute. */
  readonly ranges: Readonly<Record<string, readonly [number, number]>>;
  /** `attribute:asc`, `attribute:desc`, or null for relevance alone. */
  readonly sort: string | null;
  /** The embedder of a hybrid search; null for words alone. */
  readonly embedder: string | null;
  /** 0: words alone, 1: meaning alone. */
  readonly semanticRatio: number;
}
export type SearchAction =
  | { readonly kind: 'query'; readonly q: string }
  | { readonly kind: 'page'; readonly page: number }
  | { readonly kind: 'pick'; readonly attribute: string; readonly values: readonly string[] }
  | { readonly kind: 'range'; readonly attribute: string; readonly range: readonly [number, number] | null }
  | { readonly kind: 'sort'; readonly sort: string | null }
  | { readonly kind: 'hybrid'; readonly embedder: string | null; readonly semanticRatio: number }
  | { readonly kind: 'clear' }
  | { readonly kind: 'restore'; readonly state: SearchState };

export const EMPTY_SEARCH: SearchState = {
  q: '',
  page: 1,
  picked: {},
  ranges: {},
  sort: null,
  embedder: null,
  semanticRatio: 0.5,
};

/** Whatever changes the hits begins on their first page again. */
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
    case 'sort':
      return { ...first, sort: action.sort };
    case 'hybrid':
      return { ...first, embedder: action.embedder, semanticRatio: action.semanticRatio };
    case 'clear':
      return { ...first, picked: {}, ranges: {} };
    case 'restore':
      return action.state;
  }
}

/** How many attributes are filtered by. */
export function filterCount({ picked, ranges }: SearchState): number {
  return Object.keys(picked).length + Object.keys(ranges).length;
}
