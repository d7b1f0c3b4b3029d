import { createHmac } from 'node:crypto';
import type { KeyAnswer } from '@fossick/api';

/** An API key as stored: its value is derived, never stored. Dates are RFC 3339. */
export type ApiKey = Omit<KeyAnswer, 'key'>;

/** The bearer value of a key: lower-case hex HMAC-SHA256 of its uid under the master key. */
export function keyValue(uid: string, masterKey: string): string {
  return createHmac('sha256', masterKey).update(uid).digest('hex');
}
export function isExpired(key: ApiKey, now = Date.now()): boolean {
  return key.expiresAt !== null && Date.parse(key.expiresAt) <= now;
}
/** The key in the API's form, members in the order of the spec. */
export function apiKeyToJson(key: ApiKey, masterKey: string): KeyAnswer {
  return {
    name: key.name,
    description: key.description,
    key: keyValue(key.uid, masterKey),
    uid: key.uid,
    actions: key.actions,
    indexes: key.indexes,
    expiresAt: key.expiresAt,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
  };
}

interface DefaultKey {
  readonly name: string;
  readonly description: string;
  readonly actions: readonly string[];
}
/** The keys of a new instance with a master key, in list order. */
export const DEFAULT_KEYS: readonly DefaultKey[] = [
  {
    name: 'Default Search API Key',
    description: 'For searching from a front end: it can read hits and nothing else.',
    actions: ['search'],
  },
  {
    name: 'Default Admin API Key',
    description: 'For a trusted back end: it can do everything. Never put it into a page or an app.',
    actions: ['*'],
  },
  {
    name: 'Default Read-Only Admin API Key',
    description: 'For looking at everything, keys included, without changing anything. Keep it on the back end.',
    actions: ['*.get', 'keys.get'],
  },
  {
    name: 'Default Chat API Key',
    description: 'For a chat front end: conversations and the searches they make.',
    actions: ['chatCompletions', 'search'],
  },
];
