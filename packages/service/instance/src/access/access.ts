import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { coversAction, coversWithinIndexes, isJsonObject } from '@fossick/api';
import { type ApiError, apiError, own } from '@fossick/base';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { type Access, accessTo, OPEN_ACCESS, requireIndex } from './access-to.js';
import { type ApiKey, isExpired, keyValue } from './api-key.js';
import { type GuardedIndex, guardedUid } from './guarded-index.js';
import { allowsIndex, type IndexScope } from './index-scope.js';
import type { KeyStore } from './key-store.js';

/** A date before the year 0 is shown as the earliest that can be written. */
const dateText = (ms: number): string => new Date(Math.max(ms, 0)).toISOString();
const HASHES: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

/** What errors call the key of a token. */
const TOKEN_KEY = 'API key of the tenant token';
/** Actions that a tenant token may be used for. */
const TENANT_ACTIONS = new Set(['search', 'chatCompletions']);

/** Decides who may do what. Without a master key everything but key management is allowed. */
export class Guard {
  private readonly keyStore: KeyStore | undefined;
  private readonly masterDigest: Buffer | undefined;
  private readonly guarded: readonly GuardedIndex[];

  /** `guarded`: the indexes that not every key sees. */
  constructor(keys: KeyStore | undefined, guarded: readonly GuardedIndex[] = []) {
    this.keyStore = keys;
    this.guarded = guarded;
    this.masterDigest = keys && digestOf(keys.masterKey);
  }

  /** The keys of the instance; throws missing_master_key when it has none. */
  keys(): KeyStore {
    if (this.keyStore !== undefined) return this.keyStore;
    throw apiError('missing_master_key');
  }

  /**
   * Checks that the bearer of `authorization` may do `action`, on `indexUid` when the path names one. Throws missing_authorization_header or
   * invalid_api_key. O(1) in the number of keys.
   */
  authorize(authorization: string | undefined, action: string, indexUid?: string): Access {
    if (this.keyStore === undefined) {
      if (action.startsWith('keys.')) this.keys();
      return OPEN_ACCESS;
    }
    const token = bearerToken(authorization);
    if (this.isMasterKey(token)) return OPEN_ACCESS;
    const key = this.keyStore.byValue(token);
    const access = key === undefined ? this.tenantAccess(token, action) : this.keyAccess(key, action);
    if (access === undefined) throw unknownKey();
    if (indexUid !== undefined) requireIndex(access, indexUid);
    return access;
  }

  /**
   * Checks that the bearer is known, whatever it may do: a key that has not expired, or a valid tenant token of one. Throws
   * missing_authorization_header or invalid_api_key.
   */
  authenticate(authorization: string | undefined): void {
    if (this.keyStore === undefined) return;
    const token = bearerToken(authorization);
    if (this.isMasterKey(token)) return;
    const key = this.keyStore.byValue(token);
    const parent = key ?? this.tenantOf(token)?.parent;
    if (parent === undefined) throw unknownKey();
    requireUnexpired(parent, key === undefined ? TOKEN_KEY : 'API key');
  }

  /** The moment at which a valid bearer expires, in milliseconds since 1970; infinity for never. */
  expiryOf(authorization: string | undefined): number {
    if (this.keyStore === undefined) return Number.POSITIVE_INFINITY;
    const token = bearerToken(authorization);
    if (this.isMasterKey(token)) return Number.POSITIVE_INFINITY;
    const key = this.keyStore.byValue(token);
    const tenant = key === undefined ? this.tenantOf(token) : undefined;
    const expiresAt = (key ?? tenant?.parent)?.expiresAt ?? null;
    const keyMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
    return Math.min(keyMs, tenant?.rules.expiredMs ?? Number.POSITIVE_INFINITY);
  }

  /** Calls `listener` after each change of keys. */
  onChange(listener: () => void): Disposable {
    return this.keyStore?.onChange(listener) ?? { [Symbol.dispose]: () => undefined };
  }

  /** Takes the same time for every token, however long the prefix that matches: complete digests are compared. */
  private isMasterKey(token: string): boolean {
    return this.masterDigest !== undefined && timingSafeEqual(digestOf(token), this.masterDigest);
  }

  /** Throws invalid_api_key; with the reason only if the token was signed with its key. */
  private tenantAccess(token: string, action: string): Access | undefined {
    const tenant = this.tenantOf(token);
    if (tenant === undefined) return undefined;
    const { parent, rules } = tenant;
    if (!TENANT_ACTIONS.has(action)) throw apiError('invalid_api_key', 'notForTokens', action);
    const access = this.keyAccess(parent, action, TOKEN_KEY);
    const hides = this.guarded.map(({ name }) => guardedUid(name));
    return accessTo({ patterns: access.scope.patterns, rules: rules.filters, hides }, () => false);
  }

  /** @throws ApiError invalid_api_key, naming the missing right */
  private keyAccess(key: ApiKey, action: string, name = 'API key'): Access {
    const patterns = key.indexes.includes('*') ? null : key.indexes;
    const covers = patterns === null ? coversAction : coversWithinIndexes;
    requireUnexpired(key, name);
    if (!covers(key.actions, action)) throw apiError('invalid_api_key', 'lacksRight', name, action);
    const hidden = this.guarded.filter((index) => !covers(key.actions, index.action));
    const scope: IndexScope = { patterns, rules: null, hides: hidden.map((index) => guardedUid(index.name)) };
    const mayCreate = coversAction(key.actions, 'indexes.create');
    return accessTo(scope, (uid) => mayCreate && allowsIndex(scope, uid));
  }

  /** The key that signed a token, and the token's rules; undefined when it is no valid one. Throws for an expired one. */
  private tenantOf(token: string): { readonly parent: ApiKey; readonly rules: TenantRules } | undefined {
    const uid = claimedKeyUid(token);
    const parent = uid === undefined ? undefined : this.keyStore!.byUid(uid);
    if (parent === undefined) return undefined;
    const rules = verifyTenantToken(token, keyValue(parent.uid, this.keyStore!.masterKey));
    if (rules === undefined) return undefined;
    if ('expiredAt' in rules) throw apiError('invalid_api_key', 'expired', 'tenant token', rules.expiredAt);
    return { parent, rules };
  }
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function bearerToken(authorization: string | undefined): string {
  const header = authorization ?? '';
  // the names of schemes are the same in capitals
  if (!/^bearer( |$)/i.test(header))
    throw apiError('missing_authorization_header', header.trim() === '' ? 'none' : 'notBearer');
  const token = header.slice('Bearer '.length).trim();
  if (token === '') throw unknownKey();
  return token;
}

function requireUnexpired(key: ApiKey, name: string): void {
  if (isExpired(key)) throw apiError('invalid_api_key', 'expired', name, key.expiresAt!);
}

/** Only bearers of a secret of this server are given a reason; others only learn that the key is invalid. */
function unknownKey(): ApiError {
  return apiError('invalid_api_key', 'unknown');
}

/** The rules of a tenant token: index patterns, each with its filter, or null for none. */
interface TenantRules {
  readonly apiKeyUid: string;
  readonly filters: ReadonlyMap<string, unknown>;
  /** The first moment at which it has expired, in milliseconds since 1970; infinity for never. */
  readonly expiredMs: number;
}

/** A valid token that has expired; RFC 3339. */
interface ExpiredToken {
  readonly expiredAt: string;
}

/** The uid of the parent key in a token, unverified; undefined when the text is no tenant token. */
function claimedKeyUid(token: string): string | undefined {
  const claims = readClaims(token);
  return typeof claims?.apiKeyUid === 'string' ? claims.apiKeyUid.toLowerCase() : undefined;
}

/**
 * Verifies a tenant token by its parent key's value and returns its rules, or undefined when it is invalid: wrong
 * signature, malformed, or with an audience. Synchronous, because every search needs it.
 */
function verifyTenantToken(
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
