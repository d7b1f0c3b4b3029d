/**
 * Access to members of plain objects by names from outside. `record[name]` also finds inherited members (`constructor`,
 * `toString`), and `record['__proto__'] = value` changes the prototype instead of setting a member; these two functions
 * do neither.
 */

/**
 * The object's own member of that name, or undefined; also for names that are no text, which JavaScript would convert.
 */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return typeof name === 'string' && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Sets an own member, even `__proto__`, as JSON.parse does. */
export function setOwn<T>(record: Record<string, T>, name: string, value: NoInfer<T>): void {
  if (name === '__proto__')
    Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
  else record[name] = value;
}

/**
 * The order in which members came. Objects move names that look like indexes of a list (`"2024"`, `"0"`) to the front; where that differs
 * from the order given, it is noted beside the object. A note may name members that the object lacks, and lack some that it has: those come
 * last. It survives a spread, and no copy by name: what copies documents, or writes them, goes through here.
 */

const ORDER: unique symbol = Symbol('order of members');
type Ordered = Readonly<Record<string, unknown>> & { readonly [ORDER]?: readonly string[] };
/** Objects take a canonical integer below 2^32 - 1 for an index; a few more names are taken here for one, which costs only time. */
const INDEX_NAME = /^(?:0|[1-9]\d{0,9})$/;
const [ZERO, NINE] = [0x30, 0x39];

let isAnyNoted = false;

/** Whether the order of any object was noted in this thread. Until then no text needs to be looked at. */
export const areOrdersNoted = (): boolean => isAnyNoted;

/** Whether objects move the name to the front. */
export function isIndexName(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= ZERO && first <= NINE && INDEX_NAME.test(name);
}

/** The names of an object's own members in the order in which they came. O(members) */
export function memberNames(object: object): readonly string[] {
  const names = Object.keys(object);
  if (names.length < 2 || !isIndexName(names[0]!)) return names;
  const order = (object as Ordered)[ORDER];
  if (order === undefined) return names;
  const known = new Set(order);
  const kept = order.filter((name) => Object.hasOwn(object, name));
  return kept.length === names.length ? kept : [...kept, ...names.filter((name) => !known.has(name))];
}

/** The members in that order. */
export function memberEntries<T>(object: Readonly<Record<string, T>>): (readonly [string, T])[] {
  return memberNames(object).map((name) => [name, own(object, name)!]);
}

/** Notes the order of an object that was just made, by names without repetition; returns the object. O(names) */
export function inOrder<T extends object>(object: T, names: readonly string[]): T {
  // not by the object: listing the members of a new one costs more than making it
  if (names.length < 2 || !names.some(isIndexName)) return object;
  isAnyNoted = true;
  return Object.assign(object, { [ORDER]: names });
}

/** A copy of an object with members of another one replaced or added: those that it has keep their places. O(members) */
export function withMembers<T>(
  object: Readonly<Record<string, T>>,
  added: Readonly<Record<string, T>>,
): Record<string, T> {
  const names = memberNames(object);
  const others = memberNames(added).filter((name) => !Object.hasOwn(object, name));
  return inOrder({ ...object, ...added }, [...names, ...others]);
}

/** Object.fromEntries that notes the order. Of entries with one name the last value counts, at the first place. */
export function fromMembers<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const object = Object.fromEntries(entries) as Record<string, T>;
  const hasIndexName = entries.some(([name]) => isIndexName(name));
  return hasIndexName ? inOrder(object, [...new Set(entries.map(([name]) => name))]) : object;
}
