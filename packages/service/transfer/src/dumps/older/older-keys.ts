import { createHash } from 'node:crypto';
import { ACTION_NAMES } from '@fossick/api';
import type { KeyLine } from '../format/layout.js';

/** A line of `keys` in V4, where the id of a key had eight letters, and in V5. */
export interface OlderKeyLine extends Omit<KeyLine, 'uid'> {
  readonly uid?: string;
  readonly id?: readonly number[];
}

/**
 * A key in the form of V6; undefined when none of its actions exist any more. A key of V4 gets a uid derived from its
 * id, the same at each import. The value of a key is derived from uid and master key, so it differs from before.
 */
export function upgradedKey(line: OlderKeyLine): KeyLine | undefined {
  const { id, uid, ...others } = line;
  if (!Array.isArray(line.actions)) throw new TypeError('a key has no list of actions');
  const actions = line.actions.filter((name) => ACTION_NAMES.includes(name));
  if (actions.length === 0) return undefined;
  return { ...others, actions, uid: uid ?? uidOfId(id ?? []) };
}

/** A UUID of version 8, which is for custom values. */
function uidOfId(id: readonly number[]): string {
  const digits = createHash('sha256').update('key of a dump V4 ').update(Uint8Array.from(id)).digest('hex');
  const uuid = `${digits.slice(0, 12)}8${digits.slice(13, 16)}8${digits.slice(17, 32)}`;
  return uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
