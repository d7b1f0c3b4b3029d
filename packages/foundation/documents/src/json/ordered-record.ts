/**
 * The order in which the members of a record were given, which objects do not keep for names that look like integers.
 */
const orders = new WeakMap<object, readonly (readonly [string, number])[]>();

/** A record whose order `orderedEntries` knows. Of entries with the same name the last value counts, at the first index. */
export function orderedRecord(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const record = Object.fromEntries(entries);
  orders.set(record, [...new Map(entries)]);
  return record;
}

/** Members in the order given to orderedRecord; other records in their own order. */
export function orderedEntries(record: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return orders.get(record) ?? Object.entries(record);
}
