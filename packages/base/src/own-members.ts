/**
 * Members of plain objects by names that come from outside. `record[name]` also finds what every object inherits (`constructor`,
 * `toString`), and `record['__proto__'] = value` changes what it inherits instead of holding a member; these two do neither.
 */

/** The object's own member of that name, or undefined; also for what is no text after all, which JavaScript would make one of. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return typeof name === 'string' && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Gives the object a member of its own, `__proto__` included, as JSON.parse does. */
export function setOwn<T>(record: Record<string, T>, name: string, value: NoInfer<T>): void {
  if (name === '__proto__')
    Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
  else record[name] = value;
}
