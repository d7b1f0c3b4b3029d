/** The order in which the members of a record were given. A record forgets it for names that look like whole numbers. */
const orders = new WeakMap<object, readonly (readonly [string, number])[]>();

/** A record that `orderedEntries` can tell the order of; of entries with one name the last counts, in the place of the first. */
export function orderedRecord(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const record = Object.fromEntries(entries);
  orders.set(record, [...new Map(entries)]);
  return record;
}

/** Members in the order in which they were given, or as the record has them when it was made otherwise. */
export function orderedEntries(record: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return orders.get(record) ?? Object.entries(record);
}
