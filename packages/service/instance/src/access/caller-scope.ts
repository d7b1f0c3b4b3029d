import { isJsonObject } from '@fossick/api';
import { type ApiError, apiError, type Json, type JsonObject } from '@fossick/base';
import { type Access, accessTo, requireIndex } from './access-to.js';
import { hiddenBy, hidingMember } from './guarded-index.js';
import { type IndexScope, isWhole, WHOLE_SCOPE } from './index-scope.js';

/**
 * Sent with requests between instances: what the original caller may access, as JSON in base64url. The request itself
 * has the key of the network, which allows more than a tenant token does, and foreign keys show documents of other
 * indexes.
 */
const HEADER = 'fossick-caller-scope';

/** Deeper than any chain of instances that call one another. */
const LEVELS_MAX = 8;

/** The header for requests on behalf of a caller with this scope; none for an unrestricted caller. */
export function callerHeaders(scope: IndexScope): Readonly<Record<string, string>> {
  if (isWhole(scope)) return {};
  return { [HEADER]: Buffer.from(JSON.stringify(plainScope(scope))).toString('base64url') };
}

/**
 * The access, further restricted to what the original caller may access. It only restricts, so any sender is trusted.
 * Throws ApiError bad_request for an invalid scope, and
 * invalid_api_key when the index of the path is outside of it.
 */
export function withinCaller(access: Access, headers: Readonly<Record<string, unknown>>, indexUid?: string): Access {
  const header = headers[HEADER];
  if (header === undefined) return access;
  const within = readScope(parsed(header), LEVELS_MAX);
  const both = accessTo({ ...access.scope, within: joined(access.scope.within, within) }, access.mayCreateIndex);
  if (indexUid !== undefined) requireIndex(both, indexUid);
  return both;
}

/** A scope in a task, which runs later; undefined for an unrestricted caller. */
export function storedScope(scope: IndexScope): JsonObject | undefined {
  return isWhole(scope) ? undefined : plainScope(scope);
}
/** The scope of `storedScope`. */
export function scopeOfTask(stored: JsonObject | undefined): IndexScope {
  return stored === undefined ? WHOLE_SCOPE : readScope(stored, LEVELS_MAX);
}

function joined(known: IndexScope | undefined, within: IndexScope): IndexScope {
  return known === undefined ? within : { ...within, within: known };
}

function plainScope({ patterns, rules, within, hides = [] }: IndexScope): JsonObject {
  return {
    patterns,
    rules: rules === null ? null : ([...rules] as Json),
    ...Object.fromEntries(hides.map((uid) => [hidingMember(uid), true])),
    ...(within === undefined ? {} : { within: plainScope(within) }),
  };
}

function parsed(header: unknown): unknown {
  try {
    return JSON.parse(Buffer.from(String(header), 'base64url').toString('utf8'));
  } catch {
    throw wrongScope();
  }
}

function readScope(given: unknown, levels: number): IndexScope {
  if (!isJsonObject(given) || levels === 0) throw wrongScope();
  const { patterns, rules, within } = given;
  const isPatterns = patterns === null || (Array.isArray(patterns) && patterns.every((one) => typeof one === 'string'));
  const isRules = rules === null || (Array.isArray(rules) && rules.every(isRule));
  if (!isPatterns || !isRules) throw wrongScope();
  const hides = hiddenOf(given);
  return {
    patterns: patterns as readonly string[] | null,
    rules: rules === null ? null : new Map(rules as (readonly [string, unknown])[]),
    ...(hides.length > 0 ? { hides } : {}),
    ...(within === undefined ? {} : { within: readScope(within, levels - 1) }),
  };
}

/** The guarded indexes that a scope hides, also those of extensions that this server does not have. */
function hiddenOf(given: object): string[] {
  return Object.entries(given).flatMap(([member, isHidden]) => {
    const uid = hiddenBy(member);
    if (uid === undefined) return [];
    if (typeof isHidden !== 'boolean') throw wrongScope();
    return isHidden ? [uid] : [];
  });
}

function isRule(rule: unknown): boolean {
  return Array.isArray(rule) && rule.length === 2 && typeof rule[0] === 'string';
}

function wrongScope(): ApiError {
  return apiError('bad_request', 'unclearScope', HEADER);
}
