import type { DocId, LocalOrdinal } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Inverter } from '../inverting/inverter.js';
import { createKernel, type Kernel } from '../kernel.js';
import {
  type Bitmap,
  type BitmapRow,
  type PositionTable,
  type Ptr,
  postingListIn,
  type RankIndexedList,
  type TermId,
} from '../ptr.js';
import type { LivePostings } from './live-postings.js';
import * as reference from './reference.test-support.js';

/** A small seeded generator (mulberry32): the seed is fast-check's, so a failure is printed and replayed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

interface Corpus {
  readonly docBound: number;
  readonly terms: readonly reference.Occurrences[];
  readonly deleted: ReadonlySet<number>;
  readonly universe: ReadonlySet<number>;
}

/** Documents in shuffled order, with a few terms from rare to ubiquitous, and clustered positions in up to four fields. */
function corpusOf(seed: number): Corpus {
  const random = randomOf(seed);
  const docCount = 1 + random([3, 200, 900][random(3)]!);
  const scatter = [1, 3, 5000][random(3)]!;
  const docs = [...new Set(Array.from({ length: docCount }, () => random(docCount * scatter)))];
  if (random(2) === 0) docs.sort((a, b) => a - b);
  const terms: reference.Occurrence[][] = Array.from({ length: 5 }, () => []);
  for (const doc of docs) {
    terms.forEach((term, t) => {
      if (random(1 << t) !== 0) return;
      const count = random(20) === 0 ? 1 + random(60) : 1 + random(3);
      for (let i = 0; i < count; i++) {
        const position = random(10) === 0 ? random(65536) : random(12);
        term.push({ doc, key: random(4) * 65536 + position });
      }
    });
  }
  return {
    docBound: docCount * scatter + 1,
    terms,
    deleted: new Set(docs.filter(() => random(10) === 0)),
    universe: new Set(docs.filter(() => random(docCount > 100 && scatter > 1 ? 40 : 2) === 0)),
  };
}

function bitmapOf(kernel: Kernel, bound: number, docs: Iterable<number>): Bitmap {
  const bitmap = kernel.bitmaps.create(bound);
  for (const doc of docs) kernel.bitmaps.set(bitmap, doc as DocId);
  return bitmap;
}

function membersOf(kernel: Kernel, bitmap: Bitmap): number[] {
  return [...kernel.bitmaps.members(bitmap, 0, 0xffffffff)];
}

/** Encodes the terms in reverse order and lays the lists at an odd address. */
function load(kernel: Kernel, inverter: Inverter, corpus: Corpus, deleted: Bitmap): { lists: LivePostings[]; at: Ptr } {
  const perDoc = new Map<LocalOrdinal, [number, number][]>();
  corpus.terms.forEach((term, t) => {
    for (const { doc, key } of term)
      perDoc.set(doc as LocalOrdinal, [...(perDoc.get(doc as LocalOrdinal) ?? []), [t, key]]);
  });
  for (const [doc, pairs] of perDoc) for (const [t, key] of pairs) inverter.add(t as TermId, doc, key);
  const order = Uint32Array.from(corpus.terms.keys()).reverse();
  const { postings, offsets } = inverter.encode(order);
  inverter.reset();
  const at = kernel.memory.allocate(postings.length + 1);
  kernel.memory.write(at, postings, 1);
  return {
    lists: corpus.terms.map((_, t) => ({ ptr: postingListIn(at, 1 + offsets[order.length - 1 - t]!), deleted })),
    at,
  };
}

function entriesOf(kernel: Kernel, table: PositionTable): reference.Occurrence[] {
  const words = kernel.tables.entries(table);
  return Array.from({ length: words.length / 2 }, (_, i) => ({ doc: words[2 * i + 1]!, key: words[2 * i]! }));
}

function checkCorpus(kernel: Kernel, inverter: Inverter, corpus: Corpus): void {
  const mark = kernel.memory.mark();
  const { docBound, terms, deleted, universe } = corpus;
  const deletedBits = bitmapOf(kernel, docBound, deleted);
  const universeBits = bitmapOf(kernel, docBound, universe);
  const { lists, at } = load(kernel, inverter, corpus, deletedBits);
  const live = terms.map((term) => reference.sorted(term.filter((o) => !deleted.has(o.doc))));
  const used = [...terms.keys()].filter((t) => terms[t]!.length > 0);
  const fields = kernel.memory.scratch(4);
  kernel.memory.write(fields, Uint8Array.of(0, 1, 0, 1));
  const docs = (fill: (target: Bitmap) => void): number[] => {
    const target = kernel.bitmaps.create(docBound);
    fill(target);
    return membersOf(kernel, target);
  };
  for (const t of used) {
    expect(kernel.lists.docCount(lists[t]!.ptr)).toBe(new Set(terms[t]!.map((o) => o.doc)).size);
    expect(docs((b) => kernel.lists.orDocs(b, lists[t]!))).toEqual(reference.docsOf(terms[t]!, deleted));
    expect(docs((b) => kernel.lists.orDocs(b, { ptr: lists[t]!.ptr, deleted: 0 }))).toEqual(
      reference.docsOf(terms[t]!, new Set()),
    );
    checkMasks(kernel, corpus, lists[t]!, live[t]!, universeBits);
    const inFields = terms[t]!.filter((o) => [1, 3].includes(reference.fieldOf(o.key)));
    expect(docs((b) => kernel.lists.orDocsInFields(b, lists[t]!, fields, 4))).toEqual(
      reference.docsOf(inFields, deleted),
    );
    const merged = kernel.lists.merge([lists[t]!]);
    if (live[t]!.length === 0) expect(merged.length).toBe(0);
    else expect(entriesOf(kernel, tableOfBytes(kernel, merged, docBound))).toEqual(live[t]);
    for (const u of used) checkPair(kernel, corpus, lists, live, universeBits, t, u);
  }
  expect(
    docs((b) =>
      kernel.lists.orListsDocs(
        b,
        used.map((t) => lists[t]!),
      ),
    ),
  ).toEqual(reference.docsOf(terms.flat(), deleted));
  const all = kernel.tables.gather(
    used.map((t) => lists[t]!),
    universeBits,
  );
  const expected = reference.sorted(used.flatMap((t) => live[t]!)).filter((o) => universe.has(o.doc));
  expect(entriesOf(kernel, all)).toEqual(expected);
  const usedLists = used.map((t) => lists[t]!);
  checkScatters(kernel, docBound, expected, {
    positions: (pointers) => kernel.tables.scatterPositions(all, universeBits, pointers),
    fields: (pointers) => kernel.tables.scatterFields(all, universeBits, pointers, 3),
  });
  checkScatters(kernel, docBound, expected, {
    positions: (pointers) => kernel.lists.scatterPositions(usedLists, universeBits, pointers),
    fields: (pointers) => kernel.lists.scatterFields(usedLists, universeBits, pointers, 3),
  });
  kernel.memory.free(at);
  kernel.memory.release(mark);
}

/** Expected documents by position bucket, from the occurrences of a list. */
function checkMasks(
  kernel: Kernel,
  { docBound, universe }: Corpus,
  list: LivePostings,
  live: reference.Occurrences,
  universeBits: Bitmap,
): void {
  const mark = kernel.memory.mark();
  const indexed = indexedOf(kernel, docBound, list);
  const asked = live.filter((o) => universe.has(o.doc));
  for (const wanted of [1, 1 << 3, (1 << 28) | (1 << 5), 0x1fffffff]) {
    const target = kernel.bitmaps.create(docBound);
    kernel.rankIndexedLists.orDocs(target, indexed, universeBits, list.deleted, wanted);
    const met = asked.filter((o) => ((wanted >>> reference.positionBucket(o.key % 65536)) & 1) === 1);
    expect(membersOf(kernel, target)).toEqual(reference.ascending(met.map((o) => o.doc)));
  }
  kernel.memory.free(indexed);
  kernel.memory.release(mark);
}

/** The rank-indexed list of all documents of a list. */
function indexedOf(kernel: Kernel, docBound: number, list: LivePostings): RankIndexedList {
  const docs = kernel.bitmaps.create(docBound);
  kernel.lists.orDocs(docs, { ptr: list.ptr, deleted: 0 });
  return kernel.rankIndexedLists.ofList(list.ptr, docs, 0, 0).ptr;
}

function tableOfBytes(kernel: Kernel, bytes: Uint8Array, docBound: number): PositionTable {
  const ptr = kernel.memory.scratch(bytes.length);
  kernel.memory.write(ptr, bytes);
  return kernel.tables.gather(
    [{ ptr: postingListIn(ptr, 0), deleted: 0 }],
    bitmapOf(kernel, docBound, Array(docBound).keys()),
  );
}

function checkPair(
  kernel: Kernel,
  { docBound, universe }: Corpus,
  lists: LivePostings[],
  live: reference.Occurrences[],
  universeBits: Bitmap,
  t: number,
  u: number,
): void {
  const mark = kernel.memory.mark();
  const all = new Set(live[t]!.map((o) => o.doc));
  expect(kernel.lists.adjacentCount(lists[t]!, lists[u]!)).toBe(reference.docsNear(live[t]!, live[u]!, all, 1).length);
  const nearCount = kernel.lists.adjacentCount(lists[t]!, lists[u]!);
  for (const limit of [0, 1, 2]) {
    expect(kernel.lists.adjacentCount(lists[t]!, lists[u]!, limit)).toBe(Math.min(limit, nearCount));
    const shared = kernel.lists.sameFieldCount(lists[t]!, lists[u]!);
    expect(kernel.lists.sameFieldCount(lists[t]!, lists[u]!, limit)).toBe(Math.min(limit, shared));
  }
  expect(kernel.lists.sameFieldCount(lists[t]!, lists[u]!)).toBe(
    reference.docsInSameField(live[t]!, live[u]!, all).length,
  );
  const left = kernel.tables.gather([lists[t]!], universeBits);
  const right = kernel.tables.gather([lists[u]!], universeBits);
  const [near1, near2, near3, same] = [1, 2, 3, 4].map(() => kernel.bitmaps.create(docBound)) as [
    Bitmap,
    Bitmap,
    Bitmap,
    Bitmap,
  ];
  kernel.tables.near(left, right, universeBits, [near1, near2, near3]);
  kernel.tables.sameField(left, right, universeBits, same);
  [near1, near2, near3].forEach((near, i) => {
    expect(membersOf(kernel, near)).toEqual(reference.docsNear(live[t]!, live[u]!, universe, i + 1));
  });
  expect(membersOf(kernel, same)).toEqual(reference.docsInSameField(live[t]!, live[u]!, universe));
  const tableAnswers = [near1, near2, near3, same].map((bitmap) => membersOf(kernel, bitmap));
  for (const bitmap of [near1, near2, near3, same]) kernel.bitmaps.clear(bitmap);
  kernel.lists.near(lists[t]!, lists[u]!, universeBits, [near1, near2, near3]);
  const adjacent = kernel.bitmaps.create(docBound);
  kernel.lists.adjacent(lists[t]!, lists[u]!, universeBits, adjacent);
  expect(membersOf(kernel, adjacent)).toEqual(tableAnswers[0]);
  kernel.lists.sameField(lists[t]!, lists[u]!, universeBits, same);
  expect([near1, near2, near3, same].map((bitmap) => membersOf(kernel, bitmap))).toEqual(tableAnswers);
  const [a, b] = [t, u].map((term) => ({ ...lists[term]!, indexed: indexedOf(kernel, docBound, lists[term]!) })) as [
    Required<LivePostings>,
    Required<LivePostings>,
  ];
  for (const [x, y] of [
    [a, b],
    [a, lists[u]!],
    [lists[t]!, b],
  ] as const) {
    for (const bitmap of [near1, near2, near3, same, adjacent]) kernel.bitmaps.clear(bitmap);
    kernel.lists.near(x, y, universeBits, [near1, near2, near3]);
    kernel.lists.sameField(x, y, universeBits, same);
    kernel.lists.adjacent(x, y, universeBits, adjacent);
    expect([near1, near2, near3, same].map((bitmap) => membersOf(kernel, bitmap))).toEqual(tableAnswers);
    expect(membersOf(kernel, adjacent)).toEqual(tableAnswers[0]);
  }
  kernel.memory.free(a.indexed);
  kernel.memory.free(b.indexed);
  kernel.memory.release(mark);
}

/** One operation that scatters documents into bitmaps by field and position. */
interface Spreads {
  readonly positions: (pointers: BitmapRow) => void;
  readonly fields: (pointers: BitmapRow) => void;
}

function checkScatters(kernel: Kernel, docBound: number, entries: reference.Occurrences, spreads: Spreads): void {
  // used before, so that the word after its size links to the next free bitmap
  const pool = kernel.pools.create(docBound);
  for (const bitmap of Array.from({ length: 29 }, () => kernel.pools.empty(pool))) kernel.pools.release(pool, bitmap);
  const bitmaps = Array.from({ length: 29 }, () => kernel.pools.empty(pool));
  const pointers = kernel.bitmaps.row(bitmaps);
  spreads.positions(pointers);
  bitmaps.forEach((bitmap, bucket) => {
    const docs = entries.filter((o) => reference.positionBucket(o.key % 65536) === bucket).map((o) => o.doc);
    expect(membersOf(kernel, bitmap)).toEqual(reference.ascending(docs));
    kernel.bitmaps.clear(bitmap);
  });
  kernel.bitmaps.fillRow(pointers, [bitmaps[0]!, 0, bitmaps[2]!]);
  spreads.fields(pointers);
  bitmaps.forEach((bitmap, field) => {
    const docs = entries
      .filter((o) => (field === 0 || field === 2) && reference.fieldOf(o.key) === field)
      .map((o) => o.doc);
    expect(membersOf(kernel, bitmap)).toEqual(reference.ascending(docs));
  });
}

describe.each(['checked', 'fast'] as const)('posting lists, %s build', (build) => {
  test('agree with the reference on random corpora', () => {
    const kernel = createKernel({ build });
    const inverter = kernel.lists.createInverter();
    const before = kernel.memory.allocatedBytes;
    fc.assert(
      fc.property(fc.integer(), (seed) => checkCorpus(kernel, inverter, corpusOf(seed))),
      { numRuns: 40 },
    );
    expect(kernel.memory.allocatedBytes).toBe(before);
  });

  test('merge lists of several segments without deleted documents', () => {
    const kernel = createKernel({ build });
    const random = randomOf(7);
    const all: reference.Occurrence[] = [];
    const lists = [0, 1, 2].map((segment) => {
      const inverter = kernel.lists.createInverter();
      const deleted = kernel.bitmaps.create(3000);
      for (let doc = segment; doc < 3000; doc += 3) {
        const key = random(100000);
        inverter.add(0 as TermId, doc as LocalOrdinal, key);
        if (random(5) === 0) kernel.bitmaps.set(deleted, doc as DocId);
        else all.push({ doc, key });
      }
      const { postings } = inverter.encode(Uint32Array.of(0));
      const ptr = kernel.memory.allocate(postings.length);
      kernel.memory.write(ptr, postings);
      return { ptr: postingListIn(ptr, 0), deleted };
    });
    expect(entriesOf(kernel, tableOfBytes(kernel, kernel.lists.merge(lists), 3000))).toEqual(reference.sorted(all));
  });

  test('merge the many lists of a prefix, the same occurrence in several of them', () => {
    const kernel = createKernel({ build });
    const random = randomOf(11);
    const inverter = kernel.lists.createInverter();
    const all: reference.Occurrence[] = [];
    for (let doc = 0; doc < 9000; doc += 1 + random(3))
      for (let n = 1 + random(5); n > 0; n--) {
        const key = random(2) * 65536 + random(8);
        inverter.add(random(60) as TermId, doc as LocalOrdinal, key);
        all.push({ doc, key });
      }
    const { postings, offsets } = inverter.encode(Uint32Array.from({ length: 60 }, (_, term) => term));
    inverter.reset();
    const ptr = kernel.memory.allocate(postings.length);
    kernel.memory.write(ptr, postings);
    const lists = Array.from({ length: 60 }, (_, term) => ({
      ptr: postingListIn(ptr, offsets[term]!),
      deleted: 0 as const,
    }));
    const before = kernel.memory.allocatedBytes;
    expect(entriesOf(kernel, tableOfBytes(kernel, kernel.lists.merge(lists), 9000))).toEqual(reference.sorted(all));
    expect(kernel.memory.allocatedBytes).toBe(before);
  });

  test('a list of one occurrence is tiny, and disjoint orders make the same bytes as one', () => {
    const inverter = createKernel({ build }).lists.createInverter();
    inverter.add(0 as TermId, 30000 as LocalOrdinal, 2 * 65536 + 40);
    inverter.add(1 as TermId, 30000 as LocalOrdinal, 2 * 65536 + 41);
    const first = inverter.encode(Uint32Array.of(1));
    expect(first.postings.length).toBeLessThanOrEqual(7);
    const second = inverter.encode(Uint32Array.of(0));
    const both = inverter.encode(Uint32Array.of(1, 0));
    expect([...both.postings]).toEqual([...first.postings, ...second.postings]);
    expect(() => inverter.add(2 as TermId, 1 as LocalOrdinal, 1)).toThrow('reset');
  });

  test('a large segment with documents in descending order is accounted for and freed', () => {
    const kernel = createKernel({ build });
    const inverter = kernel.lists.createInverter();
    const idle = kernel.memory.allocatedBytes;
    for (let doc = 150_000; doc > 0; doc--) {
      inverter.add(0 as TermId, doc as LocalOrdinal, 5);
      inverter.add((1 + (doc % 1000)) as TermId, doc as LocalOrdinal, 9);
    }
    expect(inverter.heldBytes).toBeGreaterThanOrEqual(kernel.memory.allocatedBytes - idle);
    const { postings, offsets } = inverter.encode(Uint32Array.from({ length: 1001 }, (_, i) => i));
    const ptr = kernel.memory.allocate(postings.length);
    kernel.memory.write(ptr, postings);
    expect(kernel.lists.docCount(postingListIn(ptr, 0))).toBe(150_000);
    const docs = kernel.bitmaps.create(150_001);
    kernel.lists.orDocs(docs, { ptr: postingListIn(ptr, 0), deleted: 0 });
    expect([kernel.bitmaps.count(docs), kernel.bitmaps.next(docs, 0)]).toEqual([150_000, 1]);
    kernel.bitmaps.clear(docs);
    kernel.lists.orDocs(docs, { ptr: postingListIn(ptr, offsets[8]!), deleted: 0 });
    expect([...kernel.bitmaps.members(docs, 1, 2)]).toEqual([1007, 2007]);
    kernel.memory.free(ptr);
    inverter.reset();
    expect(kernel.memory.allocatedBytes).toBe(idle);
  });
});
