import { randomFillSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { EngineReader } from '@fossick/index';

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

const UID_BYTES = 16;
/** Random bytes for many uids are drawn at once: one draw costs the same for all sizes. */
const pool = Buffer.allocUnsafe(UID_BYTES * 256);
let next = pool.length;

/** A UUIDv7: 48 bits of milliseconds, then random, so that uids sort by time (RFC 9562 section 5.7). */
export function newRequestUid(nowMs = Date.now()): string {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const bytes = pool.subarray(next, next + UID_BYTES);
  next += UID_BYTES;
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
