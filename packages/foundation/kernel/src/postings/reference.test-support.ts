// The oracle of lists and tables: occurrences are (docId, key) pairs in plain arrays.

export interface Occurrence {
  readonly doc: number;
  readonly key: number;
}

export type Occurrences = readonly Occurrence[];

/** Sorted by document and key, without duplicates. */
export function sorted(occurrences: Occurrences): Occurrence[] {
  const all = [...occurrences].sort((a, b) => a.doc - b.doc || a.key - b.key);
  return all.filter((o, i) => i === 0 || o.doc !== all[i - 1]!.doc || o.key !== all[i - 1]!.key);
}

export function fieldOf(key: number): number {
  return Math.floor(key / 65536);
}

export function ascending(docs: Iterable<number>): number[] {
  return [...new Set(docs)].sort((a, b) => a - b);
}

export function docsOf(occurrences: Occurrences, deleted: ReadonlySet<number>): number[] {
  return ascending(occurrences.map((o) => o.doc)).filter((doc) => !deleted.has(doc));
}

/** Documents of `universe` where some pair of occurrences satisfies the test. */
function docsWhere(
  left: Occurrences,
  right: Occurrences,
  universe: ReadonlySet<number>,
  test: (leftKey: number, rightKey: number) => boolean,
): number[] {
  const keysOf = new Map<number, number[]>();
  for (const { doc, key } of left) keysOf.set(doc, [...(keysOf.get(doc) ?? []), key]);
  const met = right.filter(({ doc, key }) => universe.has(doc) && (keysOf.get(doc) ?? []).some((k) => test(k, key)));
  return ascending(met.map((o) => o.doc));
}

export function docsNear(
  left: Occurrences,
  right: Occurrences,
  universe: ReadonlySet<number>,
  distance: number,
): number[] {
  return docsWhere(left, right, universe, (a, b) => b - a === distance && fieldOf(a) === fieldOf(b));
}

export function docsInSameField(left: Occurrences, right: Occurrences, universe: ReadonlySet<number>): number[] {
  return docsWhere(left, right, universe, (a, b) => fieldOf(a) === fieldOf(b));
}

/** The bucket of a position, as an index into the list of bucketed positions. */
export function positionBucket(position: number): number {
  const buckets = [...Array(16).keys(), 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];
  if (position >= 16 && position < 24) return 16;
  return buckets.findIndex((bucket, i) => bucket >= position && i !== 16);
}
