import { createHash } from 'node:crypto';
import { ACTION_NAMES } from '@fossick/access';
import type { KeyLine } from '../format/layout.js';

/** A line of `keys` in V4, where a key had eight letters for an id, and in V5. */
export interface OlderKeyLine extends Omit<KeyLine, 'uid'> {
  readonly uid?: string;
  readonly id?: readonly number[];
}

/**
 * A key as V6 has it; undefined when nothing that it was for exists any more. A key of V4 gets a uid made of its id, the same at each
 * import. Its value follows from uid and master key, so that it is another than before.
 */
export function upgradedKey(line: OlderKeyLine): KeyLine | undefined {
  const { id, uid, ...others } = line;
  if (!Array.isArray(line.actions)) throw new TypeError('a key has no list of actions');
  const actions = line.actions.filter((name) => ACTION_NAMES.includes(name));
  if (actions.length === 0) return undefined;
  return { ...others, actions, uid: uid ?? uidOfId(id ?? []) };
}

/** A UUID of version 8, which is for values made one's own way. */
function uidOfId(id: readonly number[]): string {
  const digits = createHash('sha256').update('key of a dump V4 ').update(Uint8Array.from(id)).digest('hex');
  const uuid = `${digits.slice(0, 12)}8${digits.slice(13, 16)}8${digits.slice(17, 32)}`;
  return uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
