import { isDeepStrictEqual } from 'node:util';
import type { KeyAnswer } from '@fossick/api';
import { listAll, orNull, RefusalError } from '@fossick/instance/client';
import type { InstanceMove } from '@fossick/runtime/extension';

/** An instance without a master key has no keys; an old one, or a key without the right, cannot list them. */
const NO_KEYS = ['missing_master_key'];

/**
 * Creates the keys with the same uids. Their values are derived from uid and master key, so they are the same if the
 * master key is. `ownKeys`: default keys of a new target, which are removed when the source has its own.
 */
export async function moveKeys(move: InstanceMove, ownKeys: readonly string[] | null): Promise<void> {
  const { source, target, report } = move;
  const keys = await orNull(listAll<KeyAnswer>(source, '/keys'), ...NO_KEYS);
  if (keys === null) return report.note('the source has no master key, and so no keys');
  const there = await orNull(listAll<KeyAnswer>(target, '/keys'), ...NO_KEYS);
  if (there === null) return report.problem(`${keys.length} keys: the target has no master key`);
  const byUid = new Map(there.map((key) => [key.uid, key]));
  let movedCount = 0;
  let sameValues = 0;
  // listings are newest first, and both list by the time of creation
  for (const key of keys.reverse()) {
    const made = byUid.get(key.uid) ?? (await makeKey(move, key));
    if (made === null) continue;
    if (isDeepStrictEqual(rightsOf(made), rightsOf(key))) movedCount += 1;
    else report.problem(`the key ${nameOf(key)}: the target has one of the same uid with other rights`);
    if (made.key === key.key) sameValues += 1;
  }
  report.count('keys', movedCount, keys.length);
  if (movedCount > 0 && sameValues < keys.length && ownKeys === null)
    report.note(
      'the master keys of the two are not the same, and so values of keys are others: clients need the new ones, or the target the old master key',
    );
  if (ownKeys !== null) {
    for (const uid of ownKeys) await orNull(target.call('DELETE', `/keys/${uid}`), 'api_key_not_found');
    report.note('values of keys stay as they are when the server is started with the same master key as the source');
  }
}

async function makeKey({ target, report }: InstanceMove, key: KeyAnswer): Promise<KeyAnswer | null> {
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()) {
    report.note(`the key ${nameOf(key)} expired at ${key.expiresAt} and was left out`);
    return null;
  }
  const { uid, name, description, actions, indexes, expiresAt } = key;
  const body = { uid, name, description, actions, indexes, expiresAt };
  try {
    return await target.call<KeyAnswer>('POST', '/keys', { body });
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    // created by an attempt whose answer was lost
    if (error.code === 'api_key_already_exists') return target.call<KeyAnswer>('GET', `/keys/${uid}`);
    report.problem(`the key ${nameOf(key)} (${actions.join(', ')}): ${error.message}`);
    return null;
  }
}

function rightsOf({ actions, indexes, expiresAt }: KeyAnswer): unknown {
  return [[...actions].sort(), [...indexes].sort(), expiresAt === null ? null : Date.parse(expiresAt)];
}
function nameOf({ name, uid }: KeyAnswer): string {
  return name === null ? uid : `${name} (${uid})`;
}
