import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { addition } from '@fossick/documents/addition.test-support';
import { exportIndexFiles } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import type { FilesManifest } from '@fossick/storage/files';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { films } from '../films.test-support.js';
import { type ApiError, createEngine, DamagedFile, openStatic, searchClient, type WebEngine } from './index.js';
import { FileServer, type FileServerOptions } from './static-server.test-support.js';

const kernel = new Uint8Array(
  readFileSync(new URL('../../../foundation/kernel/build/kernel.fast.wasm', import.meta.url)),
);
/** Those of the module for pages, which has its own: sources have none next to them. */
const DICTIONARIES = new URL('../../dist/browser/dictionaries/', import.meta.url);
const SETTINGS = { filterableAttributes: ['genres', 'year'], sortableAttributes: ['year'] };
/** What the reference does not have; in the large index only, so that sizes are those of films. */
const BEYOND_SETTINGS = {
  ...SETTINGS,
  substringAttributes: ['title'],
  embedders: { plane: { source: 'userProvided', dimensions: 2 } },
};
const PARTS_OF_WORDS = { q: 'ght', limit: 5, attributesToHighlight: ['title'] };
const BEYOND_REQUESTS = [
  PARTS_OF_WORDS,
  { q: 'war', group: { by: 'genres', limit: 2 } },
  { q: '', aggregations: { year: { stats: ['min', 'max', 'avg'], by: 'genres' } }, limit: 0 },
  { q: 'love', rankingRules: ['words', { score: 'log(1 + year)' }] },
  { vector: [1, 0.2], hybrid: { embedder: 'plane', semanticRatio: 1 }, limit: 3, retrieveVectors: true },
  { q: 'war', vector: [1, 0.2], hybrid: { embedder: 'plane', semanticRatio: 0.9 }, limit: 4 },
];
const CONTEXT = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const REQUESTS = [
  { q: 'star wrs' },
  { q: 'lvoe', limit: 3, showRankingScore: true, attributesToHighlight: ['title'] },
  { q: '"new york"', attributesToCrop: ['overview'] },
  { q: 'the', facets: ['genres', 'year'], limit: 5 },
  { q: '', sort: ['year:desc'], filter: 'genres = Drama AND year > 1990', hitsPerPage: 4, page: 2 },
  { q: 'a', limit: 40 },
];
/** Each needs a part of search.js that the others do not. */
const MORE_REQUESTS = [
  { q: 'war -world (star OR peace)', booleanQuery: true },
  { q: 'war', distinct: 'year', limit: 5 },
  { q: '東京 物語', locales: ['jpn'] },
  { q: 'love', showRankingScoreDetails: true, showMatchesPosition: true, attributesToCrop: ['overview'], limit: 2 },
];
const WRONG_REQUESTS = [
  { q: 'a', filter: 'nothing = 1' },
  { q: 'a', filter: 'year >' },
  { q: 'a', sort: ['title'] },
  { q: 'a', limt: 3 },
  { q: 'a', vector: [1] },
  { q: 'a', hybrid: { embedder: 'nothing' } },
];
const LIBRARY = fileURLToPath(new URL('../../dist/browser/search.js', import.meta.url));
const isBuilt = process.env['FOSSICK_TEST_BUILT'] === '1' && existsSync(LIBRARY);
const comparable = (bytes: Uint8Array): object => {
  const {
    processingTimeMs: _,
    requestUid: __,
    ...rest
  } = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
  return rest;
};

describe('a static index', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-static-'));
  const whole = join(folder, 'whole');
  const parts = join(folder, 'parts');
  let engine: WebEngine;

  beforeAll(async () => {
    engine = await createEngine({ kernel, dictionaries: DICTIONARIES });
    // the sample once, and four times under other ids: then searches read parts
    for (const [name, count, settings] of [
      ['whole', 1, SETTINGS],
      ['parts', 4, BEYOND_SETTINGS],
    ] as const) {
      const documents = Array.from({ length: count }, (_, at) =>
        films().map((film) => ({ ...film, id: film.id + at * 1e7 })),
      )
        .flat()
        .map((film, at) => (name === 'parts' ? { ...film, _vectors: { plane: at < 60 ? [at / 60, 1] : null } } : film));
      const rootFolder = join(folder, `${name}-data`);
      const writer = openEngineWriter({ rootFolder, maxSearchBytes: 32 << 20 });
      const payloadFile = join(folder, 'films.ndjson');
      writeFileSync(payloadFile, documents.map((one) => JSON.stringify(one)).join('\n'));
      await writer.applySettings(name, [settings], CONTEXT);
      await writer.applyDocuments(name, [addition(payloadFile, { primaryKey: 'id' })], CONTEXT);
      await writer.close();
      const files = new Map<string, Uint8Array>();
      const manifest = await exportIndexFiles(rootFolder, name, (file, bytes) => void files.set(file, bytes));
      mkdirSync(join(folder, name));
      for (const [file, bytes] of files) writeFileSync(join(folder, name, file), bytes);
      writeFileSync(join(folder, name, 'manifest.json'), JSON.stringify(manifest));
      await engine.index(name).updateSettings(settings as never);
      await engine.index(name).add(documents);
    }
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function served(of: string, options: Partial<FileServerOptions> = {}) {
    const server = new FileServer({ folders: { films: of }, ...options });
    const url = `${await server.start()}/films/manifest.json`;
    onTestFinished(() => server.close());
    return { server, url };
  }

  it.each(['whole', 'parts'])('answers as the engine that has it in memory (%s)', async (name) => {
    const { url } = await served(join(folder, name));
    const index = await openStatic(url, { kernel });
    expect(index.uid).toBe(name);
    for (const request of name === 'parts' ? [...REQUESTS, ...BEYOND_REQUESTS] : REQUESTS) {
      const answer = comparable(await index.searchBytes(request as never)) as { readonly hits?: readonly unknown[] };
      expect(answer).toEqual(comparable(await engine.index(name).searchBytes(request as never)));
      if (request === PARTS_OF_WORDS) expect(answer.hits).toHaveLength(5);
    }
    const id = films()[7]!.id;
    expect(await index.get(id)).toEqual(await engine.index(name).get(id));
    expect(await index.facetSearch('genres', 'dra')).toMatchObject({
      facetHits: (await engine.index(name).facetSearch('genres', 'dra')).facetHits,
    });
  });

  it.skipIf(!isBuilt)(
    'is answered alike by the module for pages, which loads parts of itself when it needs them',
    async () => {
      const library = (await import(LIBRARY)) as typeof import('./search.js');
      const { url } = await served(parts);
      const index = await library.openStatic<{ id: number; title: string }>(url, { kernel, wholeBytes: 0 });
      const inMemory = engine.index<{ id: number; title: string }>('parts');
      const answerOrError = (of: Promise<unknown>): Promise<unknown> =>
        of.catch(({ name, code, message }: ApiError) => ({ name, code, message }));
      // in both orders: each request is the first one that needs a part, and one that finds it loaded
      const requests: object[] = [...BEYOND_REQUESTS.toReversed(), ...WRONG_REQUESTS, ...REQUESTS, ...MORE_REQUESTS];
      for (const request of [...requests, ...requests.toReversed()]) {
        const of = (one: Pick<typeof index, 'searchBytes'>) => answerOrError(one.searchBytes(request).then(comparable));
        expect(await of(index), JSON.stringify(request)).toEqual(await of(inMemory));
      }
      const id = films()[7]!.id;
      expect(await index.get(id)).toEqual(await inMemory.get(id));
      const page = { filter: 'year > 2000', sort: ['year:desc'], limit: 3, fields: ['id', 'title'] } as const;
      expect(await index.documents(page)).toEqual(await inMemory.documents(page));
      const widgets = [{ indexName: 'parts:year:desc', params: { query: 'war', facets: ['genres'] } }];
      const shown = ({ results }: { readonly results: readonly object[] }) =>
        results.map((result) => ({ ...result, processingTimeMS: 0 }));
      expect(shown(await library.searchClient(index).search(widgets))).toEqual(
        shown(await searchClient(inMemory).search(widgets)),
      );
      const { manifest, url: other } = await served(whole).then(async (one) => ({
        ...one,
        manifest: JSON.parse(readFileSync(join(whole, 'manifest.json'), 'utf8')) as { readonly about: object },
      }));
      const wrongUid = JSON.stringify({ ...manifest, about: { ...manifest.about, uid: 'no uid' } });
      const fetchWith: typeof fetch = async (address, init) =>
        String(address).endsWith('.json') ? new Response(wrongUid) : fetch(address, init);
      await expect(library.openStatic(other, { kernel, fetch: fetchWith })).rejects.toMatchObject({
        code: 'invalid_index_uid',
      });
    },
  );

  it('of 2,000 documents is fetched as a whole, in less than a megabyte and three requests', async () => {
    const { server, url } = await served(whole);
    const index = await openStatic(url, { kernel });
    const { requests, bytes } = index.traffic;
    expect([requests, server.paths.length]).toEqual([3, 3]);
    expect(bytes).toBe(server.bytes);
    expect(bytes).toBeLessThan(1 << 20);
    for (const request of REQUESTS) await index.searchBytes(request);
    expect(server.paths).toHaveLength(3);
  });

  it('is read in parts when it is large: nothing twice, and other searches share what is on its way', async () => {
    const { server, url } = await served(parts, { delayMs: 5 });
    const index = await openStatic(url, { kernel, wholeBytes: 0 });
    const size = readdirSync(parts).length;
    await Promise.all(REQUESTS.map((request) => index.searchBytes(request)));
    const asked = server.paths.length;
    await Promise.all(REQUESTS.map((request) => index.searchBytes(request)));
    expect(server.paths).toHaveLength(asked);
    expect(size).toBeGreaterThan(2);
  });

  it('fetches for one more word little more than its list and one document', async () => {
    const { server, url } = await served(parts);
    const index = await openStatic(url, { kernel, wholeBytes: 0 });
    await index.search('star wrs');
    server.reset();
    expect((await index.search('wonderland', { limit: 1 })).hits).toHaveLength(1);
    expect(server.bytes).toBeLessThan(3 << 10);
  });

  it('works on a server that ignores ranges', async () => {
    const { url } = await served(parts, { ignoresRanges: true });
    const index = await openStatic(url, { kernel, wholeBytes: 0 });
    for (const request of REQUESTS)
      expect(comparable(await index.searchBytes(request))).toEqual(
        comparable(await engine.index('parts').searchBytes(request)),
      );
  });

  it('keeps to its memory for rows, and still answers', async () => {
    const { url } = await served(parts);
    const index = await openStatic(url, { kernel, wholeBytes: 0, maxRowBytes: 1 });
    for (const request of REQUESTS)
      expect(comparable(await index.searchBytes(request))).toEqual(
        comparable(await engine.index('parts').searchBytes(request)),
      );
  });

  it('gives the same files for the same commit', async () => {
    const names = readdirSync(parts).sort();
    const again: string[] = [];
    await exportIndexFiles(join(folder, 'parts-data'), 'parts', (file) => again.push(file));
    expect(again.sort()).toEqual(names.filter((name) => name !== 'manifest.json'));
  });

  describe('names the file that is not what it should be', () => {
    const manifestOf = (of: string): FilesManifest => JSON.parse(readFileSync(join(of, 'manifest.json'), 'utf8'));
    /** Opens a copy of an export that was changed, and searches it. */
    async function afterChange(change: (copy: string, manifest: FilesManifest) => FilesManifest | undefined) {
      const copy = mkdtempSync(join(tmpdir(), 'fossick-hostile-'));
      onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
      cpSync(parts, copy, { recursive: true });
      const manifest = change(copy, manifestOf(copy));
      if (manifest !== undefined) writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest));
      const { url } = await served(copy);
      try {
        const index = await openStatic(url, { kernel, wholeBytes: 0 });
        for (const request of REQUESTS) await index.searchBytes(request);
        return undefined;
      } catch (error) {
        return error;
      }
    }
    const edit = (file: string, of: (bytes: Buffer) => Uint8Array): void => writeFileSync(file, of(readFileSync(file)));

    it.each<[string, (copy: string, manifest: FilesManifest) => FilesManifest | undefined, RegExp]>([
      [
        'a pack that is cut',
        (copy, { packs }) => void edit(join(copy, packs[0]!.name), (bytes) => bytes.subarray(0, 100)),
        /\.pack/,
      ],
      [
        'a pack of other bytes',
        (copy, { packs }) => void edit(join(copy, packs[0]!.name), (bytes) => bytes.fill(7)),
        /\.pack: its checksum/,
      ],
      [
        'a pack with one wrong bit in each kilobyte',
        (copy, { packs }) =>
          void edit(join(copy, packs[0]!.name), (bytes) =>
            bytes.map((byte, at) => (at % 1024 === 512 ? byte ^ 1 : byte)),
          ),
        /\.pack/,
      ],
      ['a pack that is missing', (copy, { packs }) => void rmSync(join(copy, packs[0]!.name)), /\.pack.*404/],
      [
        'the pack of another export',
        (copy, { packs }) =>
          void edit(join(copy, packs[0]!.name), (bytes) => {
            const other = readFileSync(join(whole, manifestOf(whole).packs[0]!.name));
            return Buffer.concat([other, bytes]).subarray(0, bytes.length);
          }),
        /\.pack/,
      ],
      [
        'a directory that is cut',
        (copy, { directory }) => void edit(join(copy, directory.name), (bytes) => bytes.subarray(0, 50)),
        /\.directory/,
      ],
      [
        'a directory with a huge count',
        (copy, manifest) => {
          const bytes = gzipSync(Buffer.from([1, 4, 109, 101, 116, 97, 0, 0xff, 0xff, 0xff, 0xff, 0x7f]));
          writeFileSync(join(copy, manifest.directory.name), bytes);
          return { ...manifest, directory: { ...manifest.directory, bytes: bytes.length } };
        },
        /\.directory: 34359738367 is more than/,
      ],
      [
        'a directory that unpacks to a gigabyte',
        (copy, manifest) => {
          const bytes = gzipSync(Buffer.alloc(64 << 20));
          writeFileSync(join(copy, manifest.directory.name), bytes);
          return { ...manifest, directory: { ...manifest.directory, bytes: bytes.length } };
        },
        /\.directory: it unpacks to more than/,
      ],
      [
        'a manifest that is no JSON',
        (copy) => void writeFileSync(join(copy, 'manifest.json'), '<html>'),
        /manifest\.json: it is no JSON/,
      ],
      [
        'a manifest of another format',
        (_, manifest) => ({ ...manifest, format: 99 }),
        /manifest\.json: it has format 99/,
      ],
      [
        'a manifest that points elsewhere',
        (_, manifest) => ({ ...manifest, directory: { name: 'http://192.0.2.1/x.directory', bytes: 10 } }),
        /manifest\.json: it names no directory/,
      ],
      [
        'a manifest that points out of its folder',
        (_, manifest) => ({ ...manifest, packs: [{ name: '../../secret.pack', bytes: 10 }] }),
        /manifest\.json: it names a pack/,
      ],
      [
        'a manifest with a million packs',
        (_, manifest) => ({ ...manifest, packs: Array.from({ length: 1e6 }, () => manifest.packs[0]!) }),
        /manifest\.json: it has more than/,
      ],
      [
        'a manifest of a huge pack',
        (_, manifest) => ({ ...manifest, packs: [{ ...manifest.packs[0]!, bytes: 2 ** 50 }] }),
        /manifest\.json: it names a pack/,
      ],
    ])('%s', async (_, change, message) => {
      const error = await afterChange(change);
      expect(error).toBeInstanceOf(DamagedFile);
      expect((error as Error).message).toMatch(message);
    });

    it('two blocks that changed places', async () => {
      const error = await afterChange((copy, { packs }) => {
        edit(join(copy, packs[0]!.name), (bytes) => {
          // members of gzip begin alike, so that the second half of the pack is whole members as well
          const starts = [];
          for (let at = bytes.indexOf('1f8b0800', 0, 'hex'); at >= 0; at = bytes.indexOf('1f8b0800', at + 1, 'hex'))
            starts.push(at);
          const middle = starts[Math.floor(starts.length / 2)]!;
          return Buffer.concat([bytes.subarray(middle), bytes.subarray(0, middle)]);
        });
        return undefined;
      });
      expect(error).toBeInstanceOf(DamagedFile);
    });
  });
});
