import type { IncomingHttpHeaders } from 'node:http';
import type { EngineReader } from '@fossick/index';
import { newRequestUid } from './request-uid.js';

/** Data of a query for clients that count clicks. */
export interface QueryMetadata {
  readonly query?: string;
  readonly queryUid: string;
  readonly indexUid: string;
  readonly primaryKey?: string;
  readonly remote?: string;
  readonly inlineRuleConditionOutcomes?: object;
}

/** Whether the request asks for metadata: `Meili-Include-Metadata: true`, or `1`. */
export function wantsMetadata({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  const value = String(headers['meili-include-metadata']).toLowerCase();
  return value === 'true' || value === '1';
}

/**
 * Metadata of one query, with a uid of its own. `query` is omitted for placeholder searches, `primaryKey` while the
 * index has none.
 * @param outcomes how the conditions of the rule that the query has turned out
 */
export function queryMetadata(
  engine: EngineReader,
  indexUid: string,
  q: string | null | undefined,
  outcomes: object | null = null,
): QueryMetadata {
  const primaryKey = engine.index(indexUid)?.primaryKey ?? null;
  return {
    ...(typeof q === 'string' && q !== '' ? { query: q } : {}),
    queryUid: newRequestUid(),
    indexUid,
    ...(primaryKey === null ? {} : { primaryKey }),
    ...(outcomes === null ? {} : { inlineRuleConditionOutcomes: outcomes }),
  };
}
