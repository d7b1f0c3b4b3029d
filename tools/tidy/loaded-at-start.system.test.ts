import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadedFrom, ROOT } from './loaded-modules.js';
import { ALLOWED_IMPORTS, EXTENSIONS_GROUP } from './packages.js';

/** The folders of the index that change it. */
const CHANGES = ['embedding', 'extraction', 'index-writer', 'merging', 'operations', 'segment/', 'transaction'].map(
  (name) => `packages/engine/index/src/${name}`,
);
/** All of search but the tables of its parameters, which requests are read by. */
const SEARCHING = [
  'documents',
  'federation',
  'foreign',
  'highlight',
  'index',
  'query',
  'rank',
  'search',
  'similar',
  'wire',
].map((name) => `packages/engine/search/src/${name}`);
const EXTRACTION = 'packages/engine/index/src/extraction/extraction-thread.ts';

/** The options of a store are read, and refused, at each start; the store itself is loaded when there is one. */
const ALWAYS_LOADED = ['packages/foundation/objects/src/s3/credentials.ts'];

/** Rows of modules, without those of an extension that was taken out. */
const ROWS: readonly (readonly [entry: string, late: readonly string[]])[] = [
  ['apps/server/src/main.ts', [...CHANGES, 'packages/foundation/edit-script']],
  [
    'apps/server/src/main.ts',
    ['dumps', 'moving', 'objects/object-', 'snapshots', 'launch-import', 'copy-commands', 'workspace'].map(
      (name) => `packages/extensions/transfer/src/${name}`,
    ),
  ],
  // only a node of a cluster has more than the declaration
  [
    'apps/server/src/main.ts',
    [
      ...['checkpoints', 'link', 'logs', 'node', 'objects', 'peers', 'records', 'thread', 'writer', 'open-node'].map(
        (name) => `packages/extensions/cluster/src/${name}`,
      ),
      'packages/extensions/replication',
      'packages/foundation/objects',
    ],
  ],
  ['packages/service/runtime/src/writer/writer.ts', ['packages/extensions']],
  ['packages/service/runtime/src/writer/writer.ts', ['packages/foundation/objects']],
  // each node asks for the stores of its options alone
  [
    'packages/extensions/cluster/src/cluster-script.ts',
    ['packages/foundation/objects/src/s3', 'packages/extensions/replication/src/postgres'],
  ],
  ['packages/service/runtime/src/writer/writer.ts', SEARCHING],
  [
    'packages/service/runtime/src/writer/writer.ts',
    ['packages/service/instance/src/access', 'packages/service/search-service'],
  ],
  [
    'packages/service/search-service/src/threads/searcher.ts',
    [...CHANGES, 'packages/foundation/edit-script', 'packages/extensions'],
  ],
  [
    EXTRACTION,
    [
      'packages/foundation/embedders',
      'packages/foundation/documents/src/templates',
      'packages/foundation/kernel/src/memory/',
      'packages/foundation/filter/src/parse',
    ],
  ],
  [
    EXTRACTION,
    [
      'packages/engine/columns/src/filter',
      'packages/engine/columns/src/reading',
      'packages/engine/columns/src/sort',
      'packages/engine/format/src/index-state',
      'packages/engine/postings/src/reading',
      'packages/engine/vectors/src/reading',
    ],
  ],
];

/** Whatever is loaded is compiled in part, is in each thread's heap as its text and its functions, and is marked by each collection. */
test.each(
  ROWS.filter(([entry]) => existsSync(join(ROOT, entry))),
)('%s starts without what it seldom needs: %j', (entry, late) => {
  const loaded = [...loadedFrom(entry)].filter((file) => !ALWAYS_LOADED.includes(file));
  expect(loaded.filter((file) => late.some((name) => file.startsWith(name)))).toEqual([]);
});

test.each([
  ['apps/server/src/main.ts', ['csv-parse', 'tar-stream', 'undici', 'liquidjs', 'prom-client']],
  ['packages/service/runtime/src/writer/writer.ts', ['commander', 'csv-parse', 'tar-stream', 'undici', 'liquidjs']],
  [
    'packages/service/search-service/src/threads/searcher.ts',
    ['commander', 'csv-parse', 'tar-stream', 'undici', 'liquidjs'],
  ],
])('%s starts without the libraries %j', (entry, late) => {
  const loaded = loadedFrom(entry);
  expect(loaded.size).toBeGreaterThan(100);
  expect(late.filter((name) => loaded.has(name))).toEqual([]);
});

/** The first large batch waits for this thread: each hundred modules are some 80 ms of its start (docs/internals/decisions/search-threads.md). */
test('the thread that builds segments loads little more than that', () => {
  expect(loadedFrom(EXTRACTION).size).toBeLessThan(150);
});

test.each(
  (ALLOWED_IMPORTS['apps/server'] ?? []).filter((name) => `${EXTENSIONS_GROUP}${name}` in ALLOWED_IMPORTS),
)('a server starts with the declaration of %s alone', (name) => {
  const folder = `packages/extensions/${name}/src/`;
  const [main, declaration] = ['apps/server/src/main.ts', `${folder}index.ts`].map((entry) =>
    [...loadedFrom(entry)].filter((file) => file.startsWith(folder)),
  );
  expect(main!.sort()).toEqual(declaration!.sort());
  expect(declaration!.length).toBeLessThanOrEqual(5);
});
