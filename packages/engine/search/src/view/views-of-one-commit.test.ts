import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { evaluateFilter } from '@fossick/columns';
import type { DeletionOperation } from '@fossick/documents';
import { parseFilter } from '@fossick/filter';
import { type IndexView, openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import type { Bitmap } from '@fossick/kernel';
import type { SearchRequest } from '@fossick/settings/parameters';
import { afterEach, describe, expect, it } from 'vitest';
import type { SearchResponse } from '../request/search-response.js';
import { DEFAULT_REQUEST } from '../scratch-index.test-support.js';
import { search } from '../search.js';

interface Book {
  readonly id: number;
  /** One word. */
  readonly title: string;
  readonly shelf: number;
  /** On the equator, this many degrees from Greenwich. */
  readonly _geo?: { readonly lat: 0; readonly lng: number };
  /** Of the unit circle, an angle that is its own: the nearest come in the order of angles. */
  readonly _vectors: { readonly e: readonly [number, number] | null };
}
type Model = ReadonlyMap<number, Book>;
type Operation = { readonly documents: readonly Book[] } | DeletionOperation;
interface Batch {
  readonly mergesFirst: number;
  readonly settings?: { readonly filterableAttributes?: readonly string[]; readonly embedders?: object };
  readonly operations: readonly Operation[];
}

/** Every batch writes this document too: its shelf tells which commit a view is of. */
const MARK = 0;
const WORDS = 12;
const SHELVES = 5;
const BATCHES = 60;
const ROUNDS = 3;

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
});

describe('a view while another thread commits', () => {
  const seed = TEST_SEED;
  it.each(
    Array.from({ length: ROUNDS }, (_, round) => seed + round),
  )('equals the model at one commit, from its first row to its last document (FOSSICK_TEST_SEED=%i)', async (roundSeed) => {
    folder = mkdtempSync(join(tmpdir(), 'fossick-views-'));
    const random = generator(roundSeed);
    const { batches, models } = makeBatches(random);
    const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 1 };
    const first = openEngineWriter(options);
    first.createIndex('books', 'id');
    await first.close();
    const reader = openEngineReader(options);
    const counts = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(new URL('./writing-thread.fixture.mjs', import.meta.url), {
      workerData: {
        folder,
        batches,
        counts,
        packageFile: new URL('../../../index/dist/writer.js', import.meta.url).href,
      },
    });
    let failure: unknown;
    worker.on('error', (error) => {
      failure = error;
    });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    // the thread is up
    allow(counts, 1);
    while (failure === undefined && Atomics.load(counts, 1) < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    while (failure === undefined && Atomics.load(counts, 1) < BATCHES) {
      const done = Atomics.load(counts, 1);
      reader.withView('books', (view) => {
        const look = new Look(view, models, random);
        look.some();
        // commits by the other thread, while this one is in the middle of its view; what is not looked at before is loaded after them
        const until = Math.min(BATCHES, done + 1 + Math.floor(random() * 4));
        allow(counts, until);
        while (Atomics.load(counts, 1) < until)
          if (Atomics.wait(counts, 1, Atomics.load(counts, 1), 10_000) === 'timed-out')
            throw new Error('the writer hangs');
        look.all();
      });
    }
    await ended;
    expect(failure).toBeUndefined();
    reader.withView('books', (view) => new Look(view, models.slice(-1), random).all());
    await reader.close();
  }, 60_000);
});

function allow(counts: Int32Array, until: number): void {
  Atomics.store(counts, 0, until);
  Atomics.notify(counts, 0);
}

/** Looks at a view, and compares with the model of the commit that it says it is of. */
class Look {
  private readonly view: IndexView;
  private readonly random: () => number;
  private readonly model: Model;

  constructor(view: IndexView, models: readonly Model[], random: () => number) {
    this.view = view;
    this.random = random;
    const mark = view.document(view.docIdOf(String(MARK))!) as Record<string, unknown> & Book;
    this.model = models.find((model) => model.get(MARK)!.shelf === mark.shelf)!;
  }

  /** A part of all there is, so that the rest is loaded later. */
  some(): void {
    const { random } = this;
    if (random() < 0.5) this.word(Math.floor(random() * WORDS));
    if (random() < 0.3) this.shelf(Math.floor(random() * SHELVES));
    if (random() < 0.5) this.document(Math.floor(random() * 40));
    if (random() < 0.2) this.facets();
    if (random() < 0.2) this.places();
    if (random() < 0.2) this.vectors();
  }

  all(): void {
    expect(this.view.documentCount).toBe(this.model.size);
    expect(this.view.kernel.bitmaps.count(this.view.documents)).toBe(this.model.size);
    for (let id = 0; id <= 45; id++) this.document(id);
    for (let word = 0; word < WORDS; word++) this.word(word);
    for (let shelf = 0; shelf < SHELVES; shelf++) this.shelf(shelf);
    this.facets();
    this.places();
    this.vectors();
  }

  private document(id: number): void {
    const docId = this.view.docIdOf(String(id));
    const stored = docId === undefined ? undefined : this.view.document(docId);
    expect(withoutVectors(stored)).toEqual(withoutVectors(this.model.get(id)));
  }

  /** Counts of facets, under a filter too. */
  private facets(): void {
    if (!this.isFilterable('shelf')) return;
    const few = this.model.size < 20 ? null : 'id < 20';
    const filter = few !== null && this.isFilterable('id') ? few : null;
    const counts: Record<string, number> = {};
    for (const { id, shelf } of this.model.values())
      if (filter === null || id < 20) counts[String(shelf)] = (counts[String(shelf)] ?? 0) + 1;
    expect(this.search({ facets: ['shelf'], filter }).facetDistribution).toEqual({ shelf: counts });
  }

  /** Documents by their distance from a point, and those around it. */
  private places(): void {
    if (!this.isFilterable('_geo')) return;
    const placed = [...this.model.values()].filter(({ _geo }) => _geo !== undefined);
    const found = this.search({ sort: ['_geoPoint(0,0):asc'] }).hits.slice(0, placed.length);
    expect(found.map((hit) => (hit['_geo'] as { lng: number }).lng)).toEqual(
      placed.map(({ _geo }) => _geo!.lng).sort(byNumber),
    );
    const around = this.search({ filter: `_geoRadius(0, 0, ${20.5 * METRES_PER_DEGREE})` }).hits;
    const expected = placed.filter(({ _geo }) => _geo!.lng <= 20).map(({ id }) => id);
    expect(around.map(({ id }) => id as number).sort(byNumber)).toEqual(expected.sort(byNumber));
  }

  /** Documents by their vectors, nearest first. */
  private vectors(): void {
    if (!('e' in this.view.settings.embedders)) return;
    const hybrid = { embedder: 'e', semanticRatio: 1 };
    const found = this.search({ vector: [1, 0], hybrid }).hits.map(({ id }) => id as number);
    const angles = (ids: readonly number[]): number[] =>
      ids.map((id) => angleOf(this.model.get(id)?._vectors.e ?? [Number.NaN, 0]));
    const expected = [...this.model.values()].filter(({ _vectors }) => _vectors.e !== null).map(({ id }) => id);
    // those that have none come after all others
    const rest = Array.from({ length: this.model.size - expected.length }, () => Number.NaN);
    expect(angles(found)).toEqual([...angles(expected).sort(byNumber), ...rest]);
  }

  private isFilterable(field: string): boolean {
    return (this.view.settings.filterableAttributes as unknown[]).includes(field);
  }

  private search(request: Partial<SearchRequest>): SearchResponse {
    return search(this.view, { ...DEFAULT_REQUEST, limit: 100, ...request });
  }

  /** Ids of the documents of a bitmap, in order. */
  private idsOf(found: Bitmap): number[] {
    const { kernel } = this.view;
    return [...kernel.bitmaps.members(found, 0, kernel.bitmaps.count(found))].map(
      (docId) => this.view.document(docId)!['id'] as number,
    );
  }

  private word(word: number): void {
    const { kernel, segments, bitCount } = this.view;
    const found = kernel.bitmaps.create(bitCount);
    for (const segment of segments) {
      const dictionary = segment.dictionary('fuzzy');
      const ordinal = dictionary === 0 ? -1 : kernel.dictionaries.find(dictionary, Buffer.from(wordOf(word)));
      if (ordinal !== -1) kernel.lists.orDocs(found, segment.postings('fuzzy', ordinal));
    }
    const expected = [...this.model.values()].filter(({ title }) => title === wordOf(word)).map(({ id }) => id);
    expect(this.idsOf(found).sort(byNumber)).toEqual(expected.sort(byNumber));
  }

  private shelf(shelf: number): void {
    if (!(this.view.settings.filterableAttributes as unknown[]).includes('shelf')) return;
    const found = evaluateFilter(this.view, parseFilter(`shelf = ${shelf}`)!, 'invalid_search_filter');
    const expected = [...this.model.values()].filter((book) => book.shelf === shelf).map(({ id }) => id);
    expect(this.idsOf(found).sort(byNumber)).toEqual(expected.sort(byNumber));
  }
}

/** Fields that filters and facets may ask for: sometimes not those of points. */
function filterable(random: () => number): string[] {
  return ['shelf', 'title', 'id', '_geo'].filter(() => random() < 0.7);
}

const FIRST_SETTINGS = {
  filterableAttributes: ['shelf', '_geo'],
  sortableAttributes: ['_geo'],
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
};
/** Vectors have another form where they are stored; searches compare them. */
function withoutVectors(document: object | undefined): object | undefined {
  return document === undefined ? undefined : { ...document, _vectors: undefined };
}

const METRES_PER_DEGREE = 111_195;
const VECTORS = 90;
const vectorOf = (step: number): readonly [number, number] => {
  const angle = (step / VECTORS) * (Math.PI / 2);
  return [Math.cos(angle), Math.sin(angle)];
};
const angleOf = ([x, y]: readonly [number, number]): number => Math.round(Math.atan2(y, x) * 1e4);

const byNumber = (left: number, right: number): number => left - right;
const wordOf = (word: number): string => `word${String.fromCharCode(97 + word)}`;

/** Random batches, and what the index holds after each. */
function makeBatches(random: () => number): { readonly batches: readonly Batch[]; readonly models: readonly Model[] } {
  const below = (bound: number): number => Math.floor(random() * bound);
  const models: Model[] = [];
  const batches: Batch[] = [];
  let model = new Map<number, Book>();
  for (let at = 0; at < BATCHES; at++) {
    model = new Map(model);
    const operations: Operation[] = [];
    const kind = random();
    if (kind < 0.06) {
      operations.push({ type: 'documentDeletion', target: { by: 'all' } });
      model.clear();
    } else if (kind < 0.3) {
      const ids = Array.from({ length: 1 + below(8) }, () => 1 + below(40));
      operations.push({ type: 'documentDeletion', target: { by: 'ids', ids: ids.map(String) } });
      for (const id of ids) model.delete(id);
    }
    const documents: Book[] = Array.from({ length: below(12) }, () => ({
      id: 1 + below(40),
      title: wordOf(below(WORDS)),
      shelf: below(SHELVES),
      ...(random() < 0.7 ? { _geo: { lat: 0, lng: below(170) } } : {}),
      _vectors: { e: random() < 0.7 ? vectorOf(below(VECTORS)) : null },
    }));
    // beyond the shelves
    documents.push({ id: MARK, title: 'mark', shelf: 1_000 + at, _vectors: { e: null } });
    operations.push({ documents });
    for (const book of documents) model.set(book.id, book);
    const settings =
      at === 0 ? FIRST_SETTINGS : random() < 0.1 ? { filterableAttributes: filterable(random) } : undefined;
    batches.push({
      mergesFirst: random() < 0.3 ? 1 + below(30) : 0,
      operations,
      ...(settings === undefined ? {} : { settings }),
    });
    models.push(model);
  }
  return { batches, models };
}

/** Numbers in [0, 1) by the seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
