import { apiError, type DocId, type Json } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { EmbeddingError } from '@fossick/embedders';
import type { SettingsPatch } from '@fossick/settings';
import type { Store } from '@fossick/storage';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryCatalogue } from '../catalogue/memory-catalogue.js';
import { withCircuitBreaker } from '../embedding/circuit-breaker.js';
import type { VectorMaker } from '../embedding/vector-maker.js';
import { WaitCounter } from '../extraction/writer-waits.js';
import { IndexWriter } from '../index-writer.js';
import { memoryReader } from '../memory.js';
import { Merger } from '../merging/merger.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from '../transaction/write-context.js';
import { verifyIndex } from '../verify/verify-index.js';
import type { BatchOperation, OperationOutcome } from './operation.js';

/** An operation whose payload is not written yet. */
type Step =
  | {
      readonly method: 'replace' | 'update';
      readonly lines: readonly string[];
      readonly more?: Partial<BatchOperation>;
    }
  | { readonly idLines: readonly string[] }
  | Exclude<BatchOperation, { readonly type: 'documentAdditionOrUpdate' }>;

const SETTINGS: SettingsPatch = {
  filterableAttributes: ['_geo', '_geojson', 'n', 'text'],
  expiryAttribute: 'until',
  embedders: {
    own: { source: 'userProvided', dimensions: 2 },
    made: {
      source: 'ollama',
      url: 'http://192.0.2.1/api/embed',
      model: 'm',
      dimensions: 2,
      documentTemplate: '{{doc.text}}',
    } as never,
  },
};
const EXISTING = [1, 2, 3, 4, 5, 6].map((id) => json(id, { n: id, text: `old ${id}`, until: id === 6 ? 5 : 9e9 }));

/** A document with a vector of its own, and what is given. */
function json(id: unknown, more: object = {}): string {
  return JSON.stringify({ id, text: 'a text', _vectors: { own: [1, 2] }, ...more });
}
const put = (...lines: string[]): Step => ({ method: 'replace', lines });
const update = (...lines: string[]): Step => ({ method: 'update', lines });
/** A deletion of the ids that a file has, one a line. */
const deleteFile = (...idLines: string[]): Step => ({ idLines });
/** A good document, the faulty one, and another good one. */
const among = (id: unknown, more: object = {}): Step => put(json(2, { n: 7 }), json(id, more), json(11));
const geo = (value: unknown): Step => among(14, { _geo: value });
const vectors = (value: unknown): Step => among(14, { _vectors: value });
const with_ = (step: Step, more: object): Step => ({ ...step, more }) as Step;
const edit = (source: string, filter: Json = null): Step => ({
  type: 'documentEdition',
  function: source,
  filter,
  context: null,
});

const FAULTY: readonly (readonly [name: string, code: string, step: Step])[] = [
  ['_geo with a text', 'invalid_document_geo_field', geo({ lat: 'north', lng: 2 })],
  ['_geo without lng', 'invalid_document_geo_field', geo({ lat: 1 })],
  ['_geo with a third member', 'invalid_document_geo_field', geo({ lat: 1, lng: 2, alt: 3 })],
  ['_geo as an array', 'invalid_document_geo_field', geo([1, 2])],
  ['_geo as a number', 'invalid_document_geo_field', geo(7)],
  ['_geo with a boolean', 'invalid_document_geo_field', geo({ lat: true, lng: 2 })],
  [
    '_geo by an update of a stored document',
    'invalid_document_geo_field',
    update('{"id":3,"n":0}', '{"id":3,"_geo":{}}'),
  ],
  [
    '_geojson that is none',
    'invalid_document_geojson_field',
    among(14, { _geojson: { type: 'Point', coordinates: ['x'] } }),
  ],
  ['_geojson of an unknown type', 'invalid_document_geojson_field', among(14, { _geojson: { type: 'Star' } })],
  ['a vector of another size', 'invalid_vector_dimensions', vectors({ own: [1, 2, 3] })],
  ['a list with one of another size', 'invalid_vector_dimensions', vectors({ own: [[1, 2], [3]] })],
  ['a vector of the embedder that makes some', 'invalid_vector_dimensions', vectors({ own: [1, 2], made: [1] })],
  ['no vector of the user', 'vector_embedding_error', vectors(undefined)],
  ['_vectors without the one of the user', 'vector_embedding_error', vectors({})],
  ['_vectors as a number', 'invalid_vectors_type', vectors(5)],
  ['_vectors as an array', 'invalid_vectors_type', vectors([1, 2])],
  ['a text in a vector', 'invalid_vectors_type', vectors({ own: [1, 'x'] })],
  ['null in a vector', 'invalid_vectors_type', vectors({ own: [null, 1] })],
  [
    'an object with an unknown member',
    'invalid_vectors_type',
    vectors({ own: { embeddings: [1, 2], regenerate: false, x: 1 } }),
  ],
  ['too many vectors', 'too_many_vectors', vectors({ own: new Array(257).fill([1, 2]) })],
  ['a document without id', 'missing_document_id', put(json(2, { n: 8 }), '{"text":"no id"}')],
  ['an id with a space', 'invalid_document_id', among('a b')],
  ['an id of 512 bytes', 'invalid_document_id', among('x'.repeat(512))],
  ['an id that is a fraction', 'invalid_document_id', among(1.5)],
  ['an id that is null', 'invalid_document_id', among(null)],
  ['an id that is an array', 'invalid_document_id', among([1])],
  ['another primary key', 'index_primary_key_already_exists', with_(put('{"isbn":1,"id":2}'), { primaryKey: 'isbn' })],
  ['a line that is no document', 'malformed_payload', put(json(4, { n: 9 }), '[1]')],
  ['a number out of range', 'malformed_payload', put('{"id":4,"n":1e999}')],
  [
    'more fields than an index takes',
    'max_fields_limit_exceeded',
    put(json(5, { n: 1 }), json(12, Object.fromEntries(Array.from({ length: 65_600 }, (_, at) => [`f${at}`, 1])))),
  ],
  [
    'too many fields, one document after another',
    'max_fields_limit_exceeded',
    put(
      ...Array.from({ length: 70 }, (_, at) =>
        json(20 + at, Object.fromEntries(Array.from({ length: 1_000 }, (_, f) => [`g${at}_${f}`, 1]))),
      ),
    ),
  ],
  ['a template that does not fit', 'invalid_document_fields', put(json(3, { n: 0 }), json(13, { text: undefined }))],
  ['a text that the provider refuses', 'vector_embedding_error', put(json(3), json(13, { text: 'refused 400' }))],
  ['a text on which the provider breaks', 'vector_embedding_error', put(json(3), json(13, { text: 'refused 500' }))],
  ['a text for which it makes another size', 'vector_embedding_error', put(json(3), json(13, { text: 'longer' }))],
  ['a text for which it makes another size, by update', 'vector_embedding_error', update('{"id":1,"text":"longer"}')],
  ['a payload that is lost', 'internal', with_(put(), { payloadFile: '/nowhere/at-all.ndjson' })],
  [
    'a file of ids that is lost',
    'internal',
    {
      type: 'documentDeletion',
      target: { by: 'idFile', payloadFile: '/nowhere/ids.ndjson', payloadBytes: 9, idCount: 1 },
    },
  ],
  [
    'a filter that does not parse',
    'invalid_document_filter',
    { type: 'documentDeletion', target: { by: 'filter', filter: 'n = = 1' } },
  ],
  [
    'a filter of another field',
    'invalid_document_filter',
    { type: 'documentDeletion', target: { by: 'filter', filter: 'until > 1' } },
  ],
  [
    'a filter of the wrong type',
    'invalid_document_filter',
    { type: 'documentDeletion', target: { by: 'filter', filter: 5 } },
  ],
  [
    'a filter with another index',
    'invalid_document_filter',
    { type: 'documentDeletion', target: { by: 'filter', filter: 'n IN _foreign(x, "y = 1")' } },
  ],
  [
    'a function that fails in the middle',
    'edit_documents_by_function_error',
    edit('doc.n = 1; if doc.id == 3 { doc.n = doc.none.x }'),
  ],
  [
    'a function that changes an id',
    'edit_documents_by_function_error',
    edit('doc.n = 2; if doc.id == 4 { doc.id = 99 }'),
  ],
  ['a function that is none', 'bad_request', edit('doc.n = = 3')],
  ['a function with a filter of another field', 'invalid_document_filter', edit('doc.n = 4', 'title = 1')],
  ['a function that breaks _geo', 'invalid_document_geo_field', edit('doc.n = 5; if doc.id == 2 { doc._geo = 7 }')],
];

const GOOD: readonly Step[] = [
  put(json(1, { n: 100 }), json(7)),
  put(json(8, { _geo: { lat: 1, lng: 2 } })),
  put(json(9, { fresh: true, nested: { a: 1 } }), json(9, { fresh: false })),
  update('{"id":2,"text":"changed"}', '{"id":3,"more":1}'),
  update(json(10, { n: 3 })),
  with_(update('{"id":10,"n":30}', '{"id":2,"n":30}'), { skipCreation: true }),
  with_(put(json(12), json('a b'), json(5, { _geo: 1 }), json(5, { n: 55 })), { onDocumentError: 'skip' }),
  { type: 'documentDeletion', target: { by: 'ids', ids: ['2', '9', '404'] } },
  { type: 'documentDeletion', target: { by: 'ids', ids: ['10', '11', '13'] } },
  deleteFile('"4"', '"14"', '"4"'),
  { type: 'documentDeletion', target: { by: 'filter', filter: 'n > 4' } },
  { type: 'documentDeletion', target: { by: 'filter', filter: 'text = "a text"' } },
  { type: 'documentDeletion', target: { by: 'expiry', untilMs: 10_000 } },
  { type: 'documentDeletion', target: { by: 'all' } },
  edit('doc.n = 41', 'n = 3'),
];

const [MUCH, LITTLE] = [64 << 20, 4_000];
let payloadCount = 0;

/** Makes vectors of two numbers, unless a text asks for something else. */
const MAKER: VectorMaker = {
  dimensions: () => 2,
  begin: (_embedder, inputs) => ({
    take: () =>
      inputs.map((input, inputIndex) => {
        const text = input.kind === 'text' ? input.text : '';
        const status = Number(/^refused (\d+)/.exec(text)?.[1]);
        if (status > 0) throw new EmbeddingError('refused', 'no', { status, inputIndex });
        return text.startsWith('longer') ? Float32Array.of(1, 2, 3) : Float32Array.of(text.length, 1);
      }),
    drop: () => undefined,
  }),
};

class Books {
  private readonly catalogue = new MemoryCatalogue();
  private readonly payloads = new Map<string, readonly string[]>();
  private readonly context: WriteContext;
  private readonly writer: EngineWriter;
  private readonly reader: EngineReader;

  /** With little memory rows are committed before the end of a batch. */
  constructor(maxIndexingBytes = MUCH) {
    const { catalogue, payloads } = this;
    const maxSearchBytes = 16 << 20;
    this.context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes };
    this.writer = new IndexWriter({
      catalogue,
      merger: new Merger({ maxIndexingBytes, maxSearchBytes }),
      payloads: {
        linesOf(name) {
          const lines = payloads.get(name);
          if (lines === undefined) throw apiError('internal', 'payloadLost');
          return lines;
        },
        bytesOf: () => 0,
      },
      maxSearchBytes,
      vectorMaker: MAKER,
      waits: () => new WaitCounter().read(),
      compact: async () => ({ beforeBytes: 0, afterBytes: 0 }),
    });
    this.reader = memoryReader(catalogue, { maxSearchBytes });
  }

  async fill(): Promise<this> {
    await this.writer.applySettings('books', [SETTINGS], this.context);
    await this.apply([with_(put(...EXISTING), { primaryKey: 'id' })]);
    return this;
  }

  apply(steps: readonly Step[]): Promise<OperationOutcome[]> {
    return this.writer.applyDocuments(
      'books',
      steps.map((step) => this.operation(step)),
      this.context,
    );
  }

  get commitCount(): number {
    return this.store.commitCount;
  }

  /** Documents by id, with everything else that the index says of itself. */
  state(): object {
    const documents = this.reader.withView('books', (view) => {
      const found: [string, object][] = [];
      for (let docId = 0 as DocId; docId < 1_000; docId++) {
        const document = view.document(docId);
        if (document !== undefined) found.push([JSON.stringify(document), document]);
      }
      return found.sort(([a], [b]) => (a < b ? -1 : 1));
    });
    const { numberOfDocuments, numberOfEmbeddings, fieldDistribution } = this.reader.stats('books');
    const { primaryKey } = this.reader.index('books')!;
    return { documents, numberOfDocuments, numberOfEmbeddings, fieldDistribution, primaryKey };
  }

  problems(): readonly string[] {
    return verifyIndex(this.store).problems;
  }

  private get store(): Store {
    return this.catalogue.store(this.catalogue.existing('books').folder);
  }

  private operation(step: Step): BatchOperation {
    if (!('lines' in step || 'idLines' in step)) return step;
    const payloadFile = `${payloadCount++}`;
    this.payloads.set(payloadFile, 'lines' in step ? step.lines : step.idLines);
    if ('idLines' in step) {
      const target = { by: 'idFile', payloadFile, payloadBytes: 0, idCount: step.idLines.length } as const;
      return { type: 'documentDeletion', target };
    }
    const { method, more } = step;
    return {
      type: 'documentAdditionOrUpdate',
      method,
      payloadFile,
      primaryKey: null,
      skipCreation: false,
      ...more,
    } as BatchOperation;
  }
}

/** The outcomes of the steps one by one; deletions are counted otherwise next to additions. */
async function oneByOne(books: Books, steps: readonly Step[]): Promise<OperationOutcome[]> {
  const outcomes: OperationOutcome[] = [];
  for (const step of steps) outcomes.push(...(await books.apply([step])));
  return outcomes;
}
const comparable = ({ deletedDocuments: _, ...outcome }: OperationOutcome): object => outcome;

describe('an operation that fails leaves the others of its batch', () => {
  test.each(FAULTY)(
    '%s: %s',
    async (_name, code, faulty) => {
      const good = [update('{"id":1,"n":100}'), put(json(10, { n: 1 }))];
      const after = [
        put(json(3, { n: 33 })),
        { type: 'documentDeletion', target: { by: 'ids', ids: ['4'] } } as const,
        update('{"id":10,"m":2}'),
      ];
      const books = await new Books().fill();
      const outcomes = await books.apply([...good, faulty, ...after]);
      expect(outcomes.map(({ error }) => error?.code)).toEqual([
        undefined,
        undefined,
        code,
        undefined,
        undefined,
        undefined,
      ]);
      const wanted = await new Books().fill();
      await wanted.apply([...good, ...after]);
      expect(books.state()).toEqual(wanted.state());
      const alone = await new Books().fill();
      const before = alone.state();
      // the same fault has the same message alone, and nothing comes of two of them
      const [single] = await alone.apply([faulty]);
      expect(outcomes[2]).toEqual(single);
      expect(await alone.apply([faulty, faulty])).toEqual([single, single]);
      expect(alone.state()).toEqual(before);
      expect(books.problems()).toEqual([]);
    },
    60_000,
  );
});

test('random batches leave what their operations leave one by one', async () => {
  const light = FAULTY.filter(([name]) => !name.includes('fields'));
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...GOOD) },
    { weight: 2, arbitrary: fc.constantFrom(...light).map(([, , faulty]) => faulty) },
  );
  const queues = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(queues, fc.constantFrom(MUCH, LITTLE), async (batches, maxIndexingBytes) => {
      const [together, apart] = [await new Books(maxIndexingBytes).fill(), await new Books().fill()];
      for (const batch of batches) {
        const outcomes = await together.apply(batch);
        expect(outcomes.map(comparable)).toEqual((await oneByOne(apart, batch)).map(comparable));
      }
      expect(together.state()).toEqual(apart.state());
      expect(together.problems()).toEqual([]);
    }),
    { numRuns: 40, seed: TEST_SEED },
  );
}, 240_000);

test('random first batches of an index leave what their operations leave one by one', async () => {
  const step = fc.constantFrom<Step>(
    put('{"isbn":1,"bookId":2}'),
    put('{"title":"x"}'),
    put('{"isbnId":1}', '{"isbnId":"a b"}'),
    put('{"isbnId":1,"title":"x"}', '{"title":"y"}'),
    put('{"id":1,"n":1}', '{"id":2,"n":[]}'),
    put('{"id":3}', '{"n":4}'),
    with_(put('{"isbn":5}', '{"isbn":1.5}'), { primaryKey: 'isbn' }),
    with_(put('{"isbn":6,"id":6}'), { primaryKey: 'isbn' }),
    with_(update('{"id":7}'), { primaryKey: 'id' }),
    { type: 'documentDeletion', target: { by: 'ids', ids: ['1', '6'] } },
    { type: 'documentDeletion', target: { by: 'filter', filter: 'n = 1' } },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async (batch) => {
      const [together, apart] = [new Books(), new Books()];
      // a deletion alone does not create the index
      for (const books of [together, apart]) await books.apply([put('{"title":"no id"}')]);
      const outcomes = await together.apply(batch);
      expect(outcomes.map(comparable)).toEqual((await oneByOne(apart, batch)).map(comparable));
      expect(together.state()).toEqual(apart.state());
    }),
    { numRuns: 60, seed: TEST_SEED },
  );
}, 240_000);

test.each([
  MUCH,
  LITTLE,
])('an operation that fails after segments of it were written leaves nothing: %i bytes', async (bytes) => {
  const texts = Array.from({ length: 4 }, (_, at) =>
    json(30 + at, { text: `word${at} `.repeat(20_000), [`f${at}`]: 1 }),
  );
  const faulty = put(json(1, { n: 0 }), ...texts, json(2, { n: 0 }), json(3, { _geo: 'x' }));
  const good = [put(json(8, { text: texts[0] })), update('{"id":1,"m":1}')];
  const [books, wanted] = [await new Books(bytes).fill(), await new Books().fill()];
  const outcomes = await books.apply([good[0]!, faulty, good[1]!]);
  expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'invalid_document_geo_field', undefined]);
  await wanted.apply(good);
  expect(books.state()).toEqual(wanted.state());
  expect(books.problems()).toEqual([]);
});

test('a batch of which nothing succeeds is not committed', async () => {
  const books = await new Books().fill();
  const before = books.commitCount;
  const outcomes = await books.apply(FAULTY.slice(0, 5).map(([, , step]) => step));
  expect(outcomes.map(({ error }) => error?.code)).toEqual(Array(5).fill('invalid_document_geo_field'));
  expect(books.commitCount).toBe(before);
  await books.apply([FAULTY[0]![2], put(json(1))]);
  expect(books.commitCount).toBeGreaterThan(before);
});

describe('a provider that fails for all', () => {
  const embedder = {} as never;
  const options = { isCanceled: () => false, onRequest: () => undefined };
  const inputs = [{ kind: 'text', text: 'x' }] as const;

  /** A maker whose requests take a minute each, and the number of them. */
  function slowMaker(fault: () => EmbeddingError | undefined): { maker: VectorMaker; count: () => number } {
    let [nowMs, count] = [0, 0];
    const inner: VectorMaker = {
      dimensions: () => 2,
      begin: () => ({
        take: () => {
          count += 1;
          nowMs += 60_000;
          const error = fault();
          if (error !== undefined) throw error;
          return [Float32Array.of(1, 2)];
        },
        drop: () => undefined,
      }),
    };
    return { maker: withCircuitBreaker(inner, () => nowMs), count: () => count };
  }
  const attempt = (maker: VectorMaker): unknown => {
    try {
      return maker.begin(embedder, inputs, options).take();
    } catch (error) {
      return error;
    }
  };

  test.each([
    'unreachable',
    'timeout',
    'nonsense',
    'configuration',
  ] as const)('is not waited for again and again: %s', (kind) => {
    const { maker, count } = slowMaker(() => new EmbeddingError(kind, 'down'));
    for (let at = 0; at < 9; at++)
      expect(attempt(maker)).toMatchObject({ kind, message: 'down', ...(at > 1 ? { inputIndex: 0 } : {}) });
    expect(count()).toBe(2);
  });

  test('is asked again after each success, and after inputs that it refuses', () => {
    const faults = [
      undefined,
      new EmbeddingError('timeout', 'slow'),
      undefined,
      ...Array.from({ length: 5 }, () => new EmbeddingError('refused', 'no', { status: 422 })),
    ];
    const { maker, count } = slowMaker(() => faults[(count() - 1) % faults.length]);
    for (let at = 0; at < 24; at++) attempt(maker);
    expect(count()).toBe(24);
  });
});
