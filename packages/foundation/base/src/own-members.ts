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
