import type { Federation } from '@fossick/api';
import { own } from '@fossick/base';
import { answerJson, type FederatedAnswer } from '@fossick/search';
import { asBuffer } from '../../parts/as-buffer.js';
import { paginationOf } from '../../parts/hit-range.js';
import { newRequestUid } from '../../parts/query-metadata.js';
import { type FederatedRest, federatedBytes } from './federated-job.js';

/** The form of a federated search's answer, as plain data. */
export type AnswerShape =
  | { readonly kind: 'federated'; readonly federation: Federation }
  /** The form of a search in one index; its hits keep `_federation`. */
  | {
      readonly kind: 'single';
      readonly indexUid: string;
      readonly q: string | null;
      readonly range: Pick<Federation, 'limit' | 'offset' | 'page' | 'hitsPerPage'>;
      readonly withPerformanceDetails: boolean;
    };

/** The answer as JSON bytes. @throws ApiError for more bytes than an answer may have */
export function shapedBytes(
  shape: AnswerShape,
  answer: FederatedAnswer,
  rest: Omit<FederatedRest, 'federation'>,
): Buffer {
  if (shape.kind === 'federated') return federatedBytes(answer, { ...rest, federation: shape.federation });
  const { indexUid, q, range, withPerformanceDetails } = shape;
  const { processingTimeMs, metadata, remoteErrors, clock } = rest;
  const found = own(answer.facetsByIndex ?? {}, indexUid);
  const vector = Object.values(answer.queryVectors ?? {}).at(-1);
  return asBuffer(
    answerJson({
      hits: answer.hits,
      query: q ?? '',
      ...(vector === undefined ? {} : { queryVector: vector }),
      processingTimeMs,
      ...paginationOf(range, answer.total),
      ...(found === undefined ? {} : { facetDistribution: found.distribution, facetStats: found.stats }),
      requestUid: newRequestUid(),
      ...(metadata === null ? {} : { metadata: metadata[0] }),
      ...(withPerformanceDetails ? { performanceDetails: clock.toJson() } : {}),
      ...(remoteErrors === null ? {} : { remoteErrors }),
      ...(answer.semanticHitCount === undefined ? {} : { semanticHitCount: answer.semanticHitCount }),
    }),
  );
}
