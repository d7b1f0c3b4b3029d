import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type AddProgress, createEngine, type Engine } from 'fossick';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Film, films } from './films.test-support.js';

/** The package is tried as others get it: built, with its threads. */
const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

describe.skipIf(!isBuilt)('an engine within the process', () => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await createEngine();
  });
  afterEach(() => engine.close());

  it('adds documents, and finds them as soon as that has resolved', async () => {
    const index = engine.index<Film>('films');
    expect(await index.add(films(400))).toEqual({ received: 400, indexed: 400 });
    const answer = await index.search('wonderlnd', { limit: 2, attributesToRetrieve: ['title'] });
    expect(answer.hits[0]!.title).toContain('Wonderland');
    expect(Object.keys(answer.hits[0]!)).toEqual(['title']);
    expect(answer.estimatedTotalHits).toBeGreaterThan(0);
    const page = await index.search('', { hitsPerPage: 7, page: 2 });
    expect([page.hits.length, page.totalHits, page.page]).toEqual([7, 400, 2]);
  });

  it('takes documents from anything that holds them, one after another', async () => {
    const index = engine.index<Film>('films');
    const some = films(60);
    await index.add(new Set(some.slice(0, 20)));
    function* next(): Generator<Film> {
      yield* some.slice(20, 40);
    }
    await index.add(next());
    async function* later(): AsyncGenerator<Film> {
      for (const film of some.slice(40)) {
        await Promise.resolve();
        yield film;
      }
    }
    await index.add(later());
    expect((await index.stats()).numberOfDocuments).toBe(60);
    const ids = (await index.documents({ limit: 100, fields: ['id'] })).results.map(({ id }) => id);
    expect(ids).toEqual(some.map(({ id }) => id));
  });

  it('takes no documents at all, wide integers and members without a value', async () => {
    const index = engine.index('numbers');
    expect(await index.add([])).toEqual({ received: 0, indexed: 0 });
    await index.add([{ id: 1, big: 12345678901234567890n, gone: undefined, at: new Date(0) }]);
    await index.updateSettings({ filterableAttributes: ['big'] });
    const { hits } = await index.search('', { filter: 'big = 12345678901234567890' });
    expect(hits).toEqual([{ id: 1, big: Number('12345678901234567890'), at: '1970-01-01T00:00:00.000Z' }]);
  });

  it('filters, sorts and counts wide integers by all digits, and takes them as ids', async () => {
    const index = engine.index<{ id: bigint; n: bigint | number }>('wide');
    await index.updateSettings({ filterableAttributes: ['n'], sortableAttributes: ['n'] });
    const first = 4_223_372_036_854_775_805n;
    const numbers = [first, first + 1n, first + 2n, 2n ** 64n - 1n, -(2n ** 63n), 5, 2 ** 60];
    await index.add(numbers.map((n, at) => ({ id: first + BigInt(at), n })));
    const found = async (filter: string) => (await index.search('', { filter })).estimatedTotalHits;
    for (const n of numbers) expect(await found(`n = ${n}`)).toBe(1);
    expect(await found(`n = ${first + 3n}`)).toBe(0);
    expect(await found(`n > ${first} AND n < ${2n ** 64n - 1n}`)).toBe(2);
    const { facetDistribution } = await index.search('', { facets: ['n'] });
    expect(new Set(Object.keys(facetDistribution!['n']!))).toEqual(new Set(numbers.map(String)));
    const { results } = await index.documents({ ids: [first + 1n] });
    expect(results).toEqual([await index.get(first + 1n)]);
    expect(await index.delete(first)).toBe(1);
    expect(await index.delete([first + 2n, 7])).toBe(1);
    expect(await index.delete({ filter: `n = ${2n ** 64n - 1n}` })).toBe(1);
    expect((await index.search('', { sort: ['n:asc'] })).hits.map(({ n }) => n)).toEqual(
      [-(2n ** 63n), 5, 2 ** 60, first + 1n].map(Number),
    );
  });

  it('tells how far it is', async () => {
    const told: AddProgress[] = [];
    await engine.index<Film>('films').add(films(), { onProgress: (progress) => told.push(progress) });
    expect(told.find(({ phase }) => phase === 'reading')).toBeDefined();
    const percentages = told.flatMap((one) => (one.phase === 'indexing' ? [one.percentage] : []));
    expect(percentages.length).toBeGreaterThan(1);
    expect(percentages).toEqual([...percentages].sort((a, b) => a - b));
    expect(told.every(({ documents }) => documents > 0 && documents <= 2000)).toBe(true);
  });

  it('leaves the thread of the caller to others while it indexes', async () => {
    let turns = 0;
    let isAdding = true;
    const turn = (): void => {
      turns += 1;
      if (isAdding) setTimeout(turn, 1);
    };
    const told: number[] = [];
    const adding = engine.index<Film>('films').add(films(), {
      onProgress: ({ phase }) => {
        if (phase === 'indexing' && told.push(turns) === 1) turn();
      },
    });
    await adding;
    isAdding = false;
    // nothing of it would come between the first and the last word of the progress if this thread indexed
    expect(turns).toBeGreaterThan(5);
  });

  it('reads no faster than it stores', async () => {
    const text = 'long '.repeat(200_000);
    let most = 0;
    function* long(): Generator<{ id: number; text: string }> {
      for (let id = 0; id < 150; id++) {
        // what nobody holds any more does not count, whenever it would be collected
        if (id % 10 === 9) {
          collectGarbage();
          most = Math.max(most, process.memoryUsage().arrayBuffers);
        }
        yield { id, text };
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    const failing = engine.index('long').add(
      (function* () {
        yield* long();
        throw new Error('enough');
      })(),
    );
    await expect(failing).rejects.toThrow('enough');
    expect(most - before).toBeLessThan(60e6); // of 150 MB
  });

  it('adds all or nothing', async () => {
    const index = engine.index<Film>('films');
    await index.add(films(10));
    async function* breaking(): AsyncGenerator<Film> {
      yield* films(40).slice(20);
      throw new RangeError('the source broke');
    }
    await expect(index.add(breaking())).rejects.toThrow(new RangeError('the source broke'));
    const mixed = [...films(30).slice(20), { title: 'without id' } as Film];
    expect(await index.add(mixed).catch(codeOf)).toBe('missing_document_id');
    expect(await index.add([1, 'a'] as never[]).catch(codeOf)).toBe('malformed_payload');
    expect((await index.stats()).numberOfDocuments).toBe(10);
  });

  it('leaves out faulty documents on demand, and says which', async () => {
    const parts = engine.index('parts');
    const given = [{ id: 1 }, { id: 'a b' }, { name: 'none' }, { id: 4 }];
    const added = await parts.add(given, { primaryKey: 'id', onDocumentError: 'skip' });
    expect(added).toMatchObject({ received: 4, indexed: 2, failed: 2 });
    expect(added.errors?.map(({ line, code }) => [line, code])).toEqual([
      [2, 'invalid_document_id'],
      [3, 'missing_document_id'],
    ]);
    await expect(parts.add(given)).rejects.toMatchObject({ code: 'invalid_document_id' });
    expect(await parts.add([{ id: 5 }])).toEqual({ received: 1, indexed: 1 });
  });

  it('updates, deletes, reads, clears and drops', async () => {
    const index = engine.index<Film>('films');
    const some = films(50);
    await index.add(some);
    const [first, second] = [some[0]!, some[1]!];
    await index.update([{ id: first.id, year: 1 }]);
    expect(await index.get(first.id)).toEqual({ ...first, year: 1 });
    expect(await index.get(second.id, { fields: ['title'] })).toEqual({ title: second.title });
    expect(await index.get('nobody')).toBeUndefined();
    expect(await index.update([{ id: 999_999, title: 'nobody' }], { skipCreation: true })).toMatchObject({
      received: 1,
    });
    expect(await index.delete(first.id)).toBe(1);
    expect(await index.delete([second.id, 'nobody'])).toBe(1);
    await index.updateSettings({ filterableAttributes: ['year'] });
    const old = some.slice(2).filter(({ year }) => year < 1920).length;
    expect(await index.delete({ filter: 'year < 1920' })).toBe(old);
    expect(await index.clear()).toBe(48 - old);
    expect((await engine.indexes()).map(({ uid, primaryKey }) => [uid, primaryKey])).toEqual([['films', 'id']]);
    expect([await index.drop(), await index.drop()]).toEqual([true, false]);
    expect(await engine.indexes()).toEqual([]);
  });

  it('has settings, facets, several searches at once and swaps', async () => {
    const index = engine.index<Film>('films');
    await index.updateSettings({ filterableAttributes: ['genres', 'year'], typoTolerance: { enabled: false } });
    await index.add(films(500));
    const settings = await index.settings();
    expect(settings.filterableAttributes).toEqual(['genres', 'year']);
    expect(settings.typoTolerance).toMatchObject({ enabled: false, minWordSizeForTypos: { oneTypo: 5 } });
    const { facetHits } = await index.facetSearch('genres', 'com');
    expect(facetHits.map(({ value }) => value)).toContain('Comedy');
    const queries = ['wonderland', 'alice'].map((q) => ({
      indexUid: 'films',
      q,
      attributesToRetrieve: ['title' as const],
    }));
    const answers = await engine.multiSearch<Film>(queries);
    expect(answers.map(({ indexUid, hits }) => [indexUid, hits.length > 0])).toEqual([
      ['films', true],
      ['films', true],
    ]);
    const merged = await engine.multiSearch<Film>(queries, { limit: 3 });
    expect(merged.hits).toHaveLength(3);
    expect(merged.hits[0]!._federation.indexUid).toBe('films');
    await engine.createIndex('others', { primaryKey: 'key' });
    await engine.swapIndexes('films', 'others');
    expect((await engine.index('others').stats()).numberOfDocuments).toBe(500);
  });

  it('finds similar documents by vectors', async () => {
    const index = engine.index('colours');
    await index.updateSettings({ embedders: { mine: { source: 'userProvided', dimensions: 2 } } });
    const at = (id: string, x: number, y: number) => ({ id, _vectors: { mine: [x, y] } });
    await index.add([at('red', 1, 0), at('rose', 0.9, 0.1), at('blue', 0, 1)]);
    const near = await index.similar('red', { embedder: 'mine' });
    expect(near.hits.map(({ id }) => id)).toEqual(['rose', 'blue']);
    const found = await index.search(null, {
      vector: [0, 1],
      hybrid: { embedder: 'mine', semanticRatio: 1 },
      limit: 1,
    });
    expect(found.hits.map(({ id }) => id)).toEqual(['blue']);
  });

  it('reports errors as the server does', async () => {
    const index = engine.index<Film>('films');
    expect(await index.search('x').catch(codeOf)).toBe('index_not_found');
    expect(() => engine.index('no name')).toThrow('no name');
    await index.add(films(5));
    const misspelt = { limitt: 1 } as object;
    await expect(index.search('x', misspelt)).rejects.toThrow('Did you mean `limit`?');
    expect(await index.search('x', { filter: 'year >' }).catch(codeOf)).toBe('invalid_search_filter');
    const wrong = { searchableAttributes: 1 } as object;
    expect(await index.updateSettings(wrong).catch(codeOf)).toBe('invalid_settings_searchable_attributes');
    expect(await index.delete({ filter: '' }).catch(codeOf)).toBe('invalid_document_filter');
    expect(await engine.createIndex('films').catch(codeOf)).toBe('index_already_exists');
  });

  it('answers thousands of searches at once, in search threads when configured', async () => {
    const threaded = await createEngine({ searchThreads: 1, searchThreadsFrom: 1 });
    try {
      for (const one of [engine, threaded]) {
        const index = one.index<Film>('films');
        await index.add(films(100));
        const answers = await Promise.all(
          Array.from({ length: 1500 }, (_, i) => index.search(`film ${i}`, { limit: 1 })),
        );
        expect(answers.map(({ query }) => query)).toEqual(Array.from({ length: 1500 }, (_, i) => `film ${i}`));
      }
    } finally {
      await threaded.close();
    }
  });

  it('lets calls end when it is closed, and takes no others', async () => {
    const index = engine.index<Film>('films');
    const adding = index.add(films(300));
    const closing = engine.close();
    await expect(index.search('x')).rejects.toThrow('the engine is closed');
    expect(await adding).toEqual({ received: 300, indexed: 300 });
    await closing;
    await engine.close();
  });
});

describe.skipIf(!isBuilt)('an engine in a folder', () => {
  it.each(['instance', 'auth', 'tasks'])('is not opened without its store %s, and loses nothing', async (store) => {
    const path = mkdtempSync(join(tmpdir(), 'fossick-lost.'));
    try {
      const first = await createEngine({ path });
      await first.index('films').add([{ id: 1, title: 'Heat' }]);
      await first.close();
      const file = join(path, store, 'data.mdb');
      renameSync(file, `${file}.away`);
      const losses = [() => undefined, () => writeFileSync(file, ''), () => writeFileSync(file, 'nothing')];
      for (const lose of losses) {
        lose();
        await expect(createEngine({ path })).rejects.toMatchObject({
          name: 'LaunchError',
          message: expect.stringContaining(file),
        });
      }
      renameSync(`${file}.away`, file);
      await using again = await createEngine({ path });
      expect((await again.index('films').search('heat')).hits).toEqual([{ id: 1, title: 'Heat' }]);
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!isBuilt)('a folder of another program', () => {
  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      'of the reference',
      { VERSION: '1.57.0', 'instance-uid': 'x', 'tasks/data.mdb': '' },
      /Meilisearch 1\.57\.0.*move/,
    ],
    ['of a project', { 'package.json': '{}', 'tasks/build.js': '' }, /not empty \(package\.json, tasks\)/],
    ['with a text', { 'notes.txt': 'mine' }, /not empty \(notes\.txt\)/],
  ])('%s is refused and stays as it is', async (_, files, told) => {
    const path = mkdtempSync(join(tmpdir(), 'fossick-foreign.'));
    try {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), text);
      }
      const before = readdirSync(path, { recursive: true }).sort();
      await expect(createEngine({ path })).rejects.toMatchObject({
        name: 'LaunchError',
        message: expect.stringMatching(told),
      });
      expect(readdirSync(path, { recursive: true }).sort()).toEqual(before);
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!isBuilt)('an engine in memory', () => {
  const folders = (): string[] =>
    ['/dev/shm', tmpdir()]
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
      .filter((path) => path.includes('fossick-memory-'));

  it('leaves no files, whether closed or not, and does not keep the program running', async () => {
    const before = new Set(folders());
    const program = `
      import { createEngine } from 'fossick';
      const closed = await createEngine();
      await closed.close();
      const engine = await createEngine({ searchThreads: 1, searchThreadsFrom: 1 });
      await engine.index('films').add([{ id: 1, title: 'Heat' }]);
      console.log(JSON.stringify((await engine.index('films').search('hea')).hits));`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      timeout: 300_000,
    });
    expect((await run).stdout).toBe('[{"id":1,"title":"Heat"}]\n');
    // other tests have engines of their own
    expect(folders().filter((path) => !before.has(path) && path.includes(`-${run.child.pid}-`))).toEqual([]);
  });

  it('removes the files of a killed process', async () => {
    const engine = await createEngine();
    const folder = join(folders().find((path) => path.includes(`-${process.pid}-`))!, '..');
    const old = mkdtempSync(join(folder, 'fossick-memory-'));
    mkdirSync(join(old, 'tasks'));
    utimesSync(old, 1, 1);
    const next = await createEngine();
    expect(existsSync(old)).toBe(false);
    await next.index('films').add([{ id: 1 }]);
    expect((await engine.indexes()).length).toBe(0);
    await engine.close();
    await next.close();
    rmSync(old, { recursive: true, force: true });
  });
});
