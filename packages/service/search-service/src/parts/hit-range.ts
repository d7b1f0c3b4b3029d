import type { Federation } from '@fossick/api';
import type { HitRange } from '@fossick/search';

const DEFAULT_LIMIT = 20;

type Pagination = Pick<Federation, 'limit' | 'offset' | 'page' | 'hitsPerPage'>;

function isPaged({ page, hitsPerPage }: Pagination): boolean {
  return (page ?? null) !== null || (hitsPerPage ?? null) !== null;
}

/** The requested part of the merged list. */
export function rangeOf(federation: Pagination): HitRange {
  if (!isPaged(federation))
    return { isPaged: false, from: federation.offset ?? 0, length: federation.limit ?? DEFAULT_LIMIT };
  const { page, hitsPerPage } = pageOf(federation);
  return { isPaged: true, from: Math.max(0, page - 1) * hitsPerPage, length: page === 0 ? 0 : hitsPerPage };
}

function pageOf({ page, hitsPerPage }: Pagination): { readonly page: number; readonly hitsPerPage: number } {
  return { page: page ?? 1, hitsPerPage: hitsPerPage ?? DEFAULT_LIMIT };
}

/** The members that give the position of the hits in the whole list. */
export function paginationOf(federation: Pagination, total: number): object {
  if (!isPaged(federation))
    return { limit: federation.limit ?? DEFAULT_LIMIT, offset: federation.offset ?? 0, estimatedTotalHits: total };
  const { page, hitsPerPage } = pageOf(federation);
  return { hitsPerPage, page, totalPages: hitsPerPage === 0 ? 0 : Math.ceil(total / hitsPerPage), totalHits: total };
}
