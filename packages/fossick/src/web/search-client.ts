import type { SearchableIndex } from './readable-index.js';
import type { WidgetParameters } from './widget-answers.js';

/** One request of InstantSearch, as far as it is used. */
interface WidgetRequest {
  readonly indexName: string;
  readonly params?: WidgetParameters | undefined;
  readonly type?: string | undefined;
  readonly facet?: string | undefined;
}
/** A sort is appended to the name of an index: `films:year:desc`. */
const SORTED_NAME = /^([^:]+)(?::(.+))?$/s;

/**
 * A search client for InstantSearch and its widgets, whose requests are answered by the given indexes without a server.
 * `films:year:desc` as the name of an index sorts it.
 * @throws Error for an index that is not given
 */
export function searchClient(...indexes: readonly SearchableIndex[]): {
  search(requests: readonly WidgetRequest[]): Promise<{ readonly results: readonly object[] }>;
  searchForFacetValues(requests: readonly WidgetRequest[]): Promise<readonly object[]>;
} {
  const byUid = new Map(indexes.map((index) => [index.uid, index]));
  const split = (name: string): { readonly index: SearchableIndex; readonly sort: readonly string[] } => {
    const [, uid, sort] = SORTED_NAME.exec(name) ?? [];
    const index = byUid.get(uid ?? '');
    if (index === undefined) throw new Error(`no index \`${name}\` was given to the search client`);
    return { index, sort: sort === undefined ? [] : sort.split(',') };
  };
  return {
    async search(requests) {
      const { answered } = await import('./widget-answers.js');
      const results = await Promise.all(
        requests.map((request) => {
          const { index, sort } = split(request.indexName);
          return answered(index, request.indexName, sort, request.params ?? {});
        }),
      );
      return { results };
    },
    async searchForFacetValues(requests) {
      const { facetValues } = await import('./widget-answers.js');
      return Promise.all(requests.map(({ indexName, params = {} }) => facetValues(split(indexName).index, params)));
    },
  };
}
