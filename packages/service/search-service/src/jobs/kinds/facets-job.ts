import { toJsonText } from '@fossick/documents';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { facetSearch } from '@fossick/search';
import type { FacetSearchRequest } from '@fossick/settings/parameters';
import { found, heavyIf, type JobKind } from './job.js';
import { hasManyScores, isHeavyOn, isLongFilter, isLongQuery, LIGHT_FACET_DOCUMENTS } from './job-weights.js';

/** A search among the values of a facet: the answer as JSON. */
export interface FacetsJob {
  readonly kind: 'facets';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly request: FacetSearchRequest;
}

export const FACETS: JobKind<FacetsJob, Buffer> = {
  kind: 'facets',
  weigh({ indexUid, request }, sizes) {
    const size = sizes(indexUid);
    return heavyIf(
      isLongFilter(request.filter, size) ||
        isLongQuery(request) ||
        hasManyScores(request, size) ||
        isHeavyOn(size, 0) ||
        size.documentCount > LIGHT_FACET_DOCUMENTS,
    );
  },
  run(engine, { indexUid, request, scope }) {
    const answer = engine.withView(indexUid, (view) => facetSearch(view, request), indexAccess(scope));
    return found(Buffer.from(toJsonText(answer)));
  },
};
