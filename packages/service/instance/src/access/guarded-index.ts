/**
 * An index that an extension of the server writes and that keys do not see by their patterns alone. It is seen with the master key, by
 * keys that have the action, and by those that name it exactly; never with a tenant token of a key that does not name it. Its
 * uid is `_fossick_NAME`.
 */
export interface GuardedIndex {
  /** Lower-case letters. */
  readonly name: string;
  /** As keys list it, such as `stats.get`. */
  readonly action: string;
}

const UID_PREFIX = '_fossick_';
const MEMBER_PREFIX = 'hides';
const MEMBER = /^hides[A-Z][a-z]*$/;

export function guardedUid(name: string): string {
  return UID_PREFIX + name;
}

/**
 * The member of a scope as JSON that says that it hides such an index: `hidesX` for `_fossick_x`. Other instances, and tasks
 * that wait, know it by that name, so it is understood without the extension, too.
 */
export function hidingMember(uid: string): string {
  const name = uid.slice(UID_PREFIX.length);
  return MEMBER_PREFIX + name.charAt(0).toUpperCase() + name.slice(1);
}

/** The uid that such a member hides; undefined for another member. */
export function hiddenBy(member: string): string | undefined {
  return MEMBER.test(member) ? guardedUid(member.slice(MEMBER_PREFIX.length).toLowerCase()) : undefined;
}
