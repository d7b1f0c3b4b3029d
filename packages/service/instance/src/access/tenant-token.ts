import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '@fossick/api';
import { own } from '@fossick/base';
import { decodeProtectedHeader } from 'jose/decode/protected_header';

/** The rules of a tenant token: index patterns, each with its filter, or null for none. */
export interface TenantRules {
  readonly apiKeyUid: string;
  readonly filters: ReadonlyMap<string, unknown>;
  /** The first moment at which it has expired, in milliseconds since 1970; infinity for never. */
  readonly expiredMs: number;
}

/** A valid token that has expired; RFC 3339. */
export interface ExpiredToken {
  readonly expiredAt: string;
}

/** A date before the year 0 is shown as the earliest that can be written. */
const dateText = (ms: number): string => new Date(Math.max(ms, 0)).toISOString();

const HASHES: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

/** The uid of the parent key in a token, unverified; undefined when the text is no tenant token. */
export function claimedKeyUid(token: string): string | undefined {
  const claims = readClaims(token);
  return typeof claims?.apiKeyUid === 'string' ? claims.apiKeyUid.toLowerCase() : undefined;
}

/**
 * Verifies a tenant token by its parent key's value and returns its rules, or undefined when it is invalid: wrong
 * signature, malformed, or with an audience. Synchronous, because every search needs it.
 */
export function verifyTenantToken(
  token: string,
  parentValue: string,
  nowMs = Date.now(),
): TenantRules | ExpiredToken | undefined {
  if (!isSignedBy(token, parentValue)) return undefined;
  const claims = readClaims(token);
  if (claims === undefined || 'aud' in claims || typeof claims.apiKeyUid !== 'string') return undefined;
  const { exp } = claims;
  if (exp !== undefined && exp !== null) {
    if (typeof exp !== 'number') return undefined;
    if (exp * 1000 < nowMs) return { expiredAt: dateText(exp * 1000) };
  }
  const filters = readRules(claims.searchRules);
  // in its last moment a token is still valid
  const expiredMs = typeof exp === 'number' ? Math.floor(exp * 1000) + 1 : Number.POSITIVE_INFINITY;
  return filters && { apiKeyUid: claims.apiKeyUid, filters, expiredMs };
}

function readClaims(token: string): Record<string, unknown> | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString('utf8'));
    return isJsonObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

function isSignedBy(token: string, secret: string): boolean {
  let algorithm: unknown;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    return false;
  }
  // the header is only checked to be an object: a list of one name would otherwise pass for the name
  const hash = typeof algorithm === 'string' ? own(HASHES, algorithm) : undefined;
  if (hash === undefined) return false;
  const cut = token.lastIndexOf('.');
  const expected = createHmac(hash, secret).update(token.slice(0, cut)).digest();
  const given = Buffer.from(token.slice(cut + 1), 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function readRules(rules: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(rules)) {
    if (!rules.every((name) => typeof name === 'string')) return undefined;
    return new Map(rules.map((name) => [name, null]));
  }
  if (!isJsonObject(rules)) return undefined;
  const filters = new Map<string, unknown>();
  for (const [pattern, rule] of Object.entries(rules)) {
    if (rule !== null && !isJsonObject(rule)) return undefined;
    filters.set(pattern, rule?.filter ?? null);
  }
  return filters;
}
