import { toJsonText } from '@fossick/documents';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { facetSearch } from '@fossick/search';
import type { FacetSearchRequest } from '@fossick/settings/parameters';
import { found, type JobKind, placeOfSearch } from './job.js';

/** A search among the values of a facet: the answer as JSON. */
export interface FacetsJob {
  readonly kind: 'facets';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly request: FacetSearchRequest;
}

export const FACETS: JobKind<FacetsJob, Buffer> = {
  place: placeOfSearch,
  run(engine, { indexUid, request, scope }) {
    const answer = engine.withView(indexUid, (view) => facetSearch(view, request), indexAccess(scope));
    return found(Buffer.from(toJsonText(answer)));
  },
};
