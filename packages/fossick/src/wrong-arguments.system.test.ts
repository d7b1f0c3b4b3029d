import { createEngine, type Engine } from 'fossick';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The package is tried as others get it: built, with its threads. */
const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';
type Any = never;

/** An object whose every look at it throws. */
function bomb(): object {
  const throws = (): never => {
    throw new TypeError('no look at me');
  };
  return new Proxy(
    {},
    { get: throws, has: throws, ownKeys: throws, getPrototypeOf: throws, getOwnPropertyDescriptor: throws },
  );
}
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
function cycle(): object {
  const object: Record<string, unknown> = { id: 1 };
  object['self'] = { list: [object] };
  return object;
}
function listCycle(): unknown[] {
  const list: unknown[] = [];
  list.push(list);
  return list;
}
function nested(levels: number, inner: unknown): unknown {
  let value = inner;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}
/** Wrong arguments; some are right somewhere. */
const WRONG: Readonly<Record<string, unknown>> = {
  null: null,
  undefined: undefined,
  'a number': 5.5,
  'no number': Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  'a boolean': true,
  'a symbol': Symbol('s'),
  'a function': () => 1,
  'a class': class {},
  'a bigint': 10n,
  'a great bigint': 2n ** 70n,
  'an empty string': '',
  'a list of a symbol': [Symbol('s')],
  'a list of a function': [() => 1],
  'a list of a bigint': [10n],
  'a list of null': [null],
  'an object': {},
  'an object without a prototype': Object.create(null),
  'a map': new Map([[1, 2]]),
  'a date that is none': new Date(Number.NaN),
  'an object that contains itself': cycle(),
  'a list that contains itself': listCycle(),
  '50,000 lists': nested(50_000, 'kind = x'),
  '200 lists': nested(200, 'kind = x'),
  'a proxy that throws': bomb(),
  'a revoked proxy': revoked(),
  'a getter that throws': Object.defineProperty({ id: 1 }, 'x', {
    enumerable: true,
    get: () => {
      throw new RangeError('no');
    },
  }),
  'a text that throws': {
    toString: () => {
      throw new TypeError('no');
    },
  },
  'JSON that throws': {
    toJSON: () => {
      throw new TypeError('no');
    },
  },
  'a member that throws': { id: 7, inner: bomb() },
};

describe.skipIf(!isBuilt)('wrong arguments', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ onWarning: () => undefined });
    await engine.index('films').add([{ id: 1, title: 'a', kind: 'x' }]);
    await engine.index('films').updateSettings({ filterableAttributes: ['title', 'kind'] });
  });
  afterAll(() => engine.close());

  const films = () => engine.index('films');
  const CALLS: Readonly<Record<string, (value: Any) => unknown>> = {
    index: (value) => engine.index(value),
    createIndex: (value) => engine.createIndex(value),
    'createIndex, primaryKey': (primaryKey) => engine.createIndex(`c${Math.random()}`.replace('.', ''), { primaryKey }),
    'createIndex, options': (value) => engine.createIndex(`c${Math.random()}`.replace('.', ''), value),
    'swapIndexes, left': (value) => engine.swapIndexes(value, 'films'),
    'swapIndexes, right': (value) => engine.swapIndexes('films', value),
    multiSearch: (value) => engine.multiSearch(value),
    'multiSearch, query': (value) => engine.multiSearch([value]),
    'multiSearch, indexUid': (indexUid) => engine.multiSearch([{ indexUid }]),
    'multiSearch, filter': (filter) => engine.multiSearch([{ indexUid: 'films', filter }]),
    'multiSearch, federation': (value) => engine.multiSearch([{ indexUid: 'films' }], value),
    'multiSearch, facetsByIndex': (facetsByIndex) => engine.multiSearch([{ indexUid: 'films' }], { facetsByIndex }),
    add: (value) => films().add(value),
    'add, document': (value) => films().add([value]),
    'add, member': (m) => films().add([{ id: 2, m }]),
    'add, id': (id) => films().add([{ id }]),
    'add, options': (value) => films().add([{ id: 3 }], value),
    'add, primaryKey': (primaryKey) => films().add([{ id: 3 }], { primaryKey }),
    'add, skipCreation': (skipCreation) => films().add([{ id: 3 }], { skipCreation }),
    'add, onDocumentError': (onDocumentError) => films().add([{ id: 3 }], { onDocumentError }),
    update: (value) => films().update(value),
    'update, document': (value) => films().update([value]),
    delete: (value) => films().delete(value),
    'delete, ids': (value) => films().delete([value]),
    'delete, filter': (filter) => films().delete({ filter }),
    search: (value) => films().search(value),
    'search, parameters': (value) => films().search('a', value),
    'search, filter': (filter) => films().search('a', { filter }),
    'search, limit': (limit) => films().search('a', { limit }),
    'search, facets': (facets) => films().search('a', { facets }),
    'search, sort': (sort) => films().search('a', { sort }),
    'search, vector': (vector) => films().search('a', { vector }),
    'search, hybrid': (hybrid) => films().search('a', { hybrid }),
    'search, distinct': (distinct) => films().search('a', { distinct }),
    facetSearch: (value) => films().facetSearch(value),
    'facetSearch, query': (value) => films().facetSearch('kind', value),
    'facetSearch, parameters': (value) => films().facetSearch('kind', '', value),
    similar: (value) => films().similar(value, { embedder: 'x' }),
    'similar, parameters': (value) => films().similar(1, value),
    get: (value) => films().get(value),
    'get, fields': (fields) => films().get(1, { fields }),
    documents: (value) => films().documents(value),
    'documents, ids': (ids) => films().documents({ ids }),
    'documents, filter': (filter) => films().documents({ filter }),
    updateSettings: (value) => films().updateSettings(value),
    'updateSettings, synonyms': (synonyms) => films().updateSettings({ synonyms }),
    'updateSettings, typoTolerance': (typoTolerance) => films().updateSettings({ typoTolerance }),
  };

  it.each(Object.keys(CALLS))('of %s are ApiErrors with a code, or right', async (name) => {
    const faults: string[] = [];
    for (const [what, value] of Object.entries(WRONG)) {
      try {
        await CALLS[name]!(value as Any);
      } catch (error) {
        const { name: kind, code, message } = error as Error & { readonly code?: unknown };
        if (kind !== 'ApiError' || typeof code !== 'string' || code === 'internal')
          faults.push(`${what}: ${kind} ${message}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('are refused by codes of their kind', async () => {
    const codeOf = (call: () => unknown): Promise<unknown> =>
      (async () => call())().then(
        () => 'none',
        (error: { readonly code: unknown }) => error.code,
      );
    const [filter, text] = [nested(50_000, 'kind = x') as Any, `${'('.repeat(50_000)}kind = x${')'.repeat(50_000)}`];
    expect(await codeOf(() => engine.index(null as Any))).toBe('invalid_index_uid');
    expect(await codeOf(() => films().add([cycle() as Any]))).toBe('malformed_payload');
    expect(await codeOf(() => films().add([nested(50_000, 1) as Any]))).toBe('malformed_payload');
    expect(await codeOf(() => films().search('a', { filter }))).toBe('malformed_payload');
    expect(await codeOf(() => films().search('a', { filter: text }))).toBe('invalid_search_filter');
    expect(await codeOf(() => films().search('a', { filter: `${'NOT '.repeat(50_000)}kind = x` }))).toBe(
      'invalid_search_filter',
    );
    expect(await codeOf(() => films().search('a', { limit: -1 }))).toBe('invalid_search_limit');
    expect(await codeOf(() => films().get(null as Any))).toBe('invalid_document_id');
  });

  it('that contain themselves beside long texts need no more memory than they have', async () => {
    const long: Record<string, unknown> = { id: 9, text: 'x'.repeat(1_000_000) };
    long['self'] = long;
    await expect(films().add([long])).rejects.toMatchObject({ code: 'malformed_payload' });
  });

  it('leave the engine as it was: what is right still works', async () => {
    await films().add([{ id: 2n ** 60n, n: 2n ** 62n, when: new Date(0), none: undefined }]);
    expect(await films().get((2n ** 60n) as Any)).toMatchObject({ when: '1970-01-01T00:00:00.000Z' });
    const failure = new Error('of the caller');
    const source = (function* () {
      yield { id: 1 };
      throw failure;
    })();
    await expect(films().add(source)).rejects.toBe(failure);
    const { hits } = await films().search('a', { filter: ['kind = x', [undefined, 'title = a'] as Any].slice(0, 1) });
    expect(hits).toHaveLength(1);
  });

  it.each(Object.entries(WRONG))('of createEngine: %s', async (_, value) => {
    const names = ['searchMemoryBytes', 'searchThreads', 'features', 'allowedNetworks', 'onWarning', 'path'];
    for (const options of [value, ...names.map((name) => ({ [name]: value }))]) {
      if (value === '' || (value === null && options === value)) continue;
      try {
        await (await createEngine(options as Any)).close();
      } catch (error) {
        expect(['ApiError', 'OptionError', 'LaunchError']).toContain((error as Error).name);
      }
    }
  });
});
