import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
// @ts-expect-error: the tool is plain JavaScript
import { packageFolders, rootFolder, testSeed } from './tools/run/workspace.mjs';

const folders: readonly string[] = packageFolders().filter((folder: string) => folder.startsWith('packages/'));

/** Files of the three commands: `npm test`, `npm run test:system`, `npm run test:long` (CONTRIBUTING.md). */
const SYSTEM = ['{packages,apps,bench}/**/src/**/*.system.test.ts', 'tools/**/*.system.test.ts'];
const LONG = ['{packages,apps}/**/src/**/*.long.test.ts'];
/** Files with pages in Chromium, which needs both cores: one at a time. */
const PAGES = [
  'apps/server/src/dashboard/*',
  'apps/server/src/examples/{guides,pages,pages-run}',
  'apps/server/src/clients/instantsearch',
  'packages/fossick/src/web/{browser,bundlers,playground}',
  'packages/extensions/*/src/{dashboard,example,operators}-page',
].map((name) => `${name}.system.test.ts`);
/**
 * Files with clusters of several nodes, one at a time: they mostly wait for a node that is away, and other files have the
 * core that they leave; two of them at once lose leaders by chance.
 */
const CLUSTERS = [
  'packages/extensions/*/src/in-nodes/{bad-days,bad-links,checkpoints,failover,full-disk,full-follower,joining,log-away,postgres,replicas,s3}.system.test.ts',
];
/** Other files with servers as processes of their own: nothing is left of one in the process of the tests. */
const SERVERS = ['apps/server/src/**/*.system.test.ts'];
/** Servers in the process of a test start their threads from the published bundle. */
const BUNDLED_THREADS = './apps/server/src/e2e/bundled-threads.test-support.ts';
/** Tests of extensions that start a server in their process. */
const IN_SERVER = 'packages/extensions/*/src/in-server/**/*.test.ts';
/** Files that replace modules, need them as they are after a start, or load built packages, too: each has a worker of its own. */
const ISOLATED = [
  'engine/index/src/catalogue/index-folders',
  'engine/index/src/dictionaries/with-dictionaries',
  'engine/index/src/merging/running-merge',
  'engine/search/src/ranked/kept-rankings',
  'foundation/base/src/durable-names',
  'foundation/tokenizer/src/dictionaries/package-file',
  'foundation/tokenizer/src/segmenting/dictionaries',
  'service/instance/src/access/access',
].map((name) => `packages/${name}.test.ts`);
/** Two cores share two files. FOSSICK_TEST_WORKERS sets it. */
const WORKER_COUNT = Number(process.env['FOSSICK_TEST_WORKERS'] ?? Math.max(2, availableParallelism() - 1));

/**
 * Tests of the engine that run a second time with mirrored stores (packages/foundation/storage/src/mirrored-stores.test-support.ts):
 * those that write most kinds of rows. FOSSICK_MIRRORED=all adds the others, which takes minutes.
 */
const MIRRORED = [
  'index/src/catalogue/{catalogue,open-stores}',
  'index/src/documents/obsolete-rows',
  'index/src/index-writer',
  'index/src/merging/running-merge',
  'index/src/transaction/{reindex,uncommitted-rows,undo-batches}',
  'search/src/filters/columns-model',
  'search/src/foreign/foreign-keys',
  'search/src/ranked/vector-search',
  'search/src/search-answers',
].map((name) => `packages/engine/${name}.test.ts`);
/** The others that write rows. */
const OTHERS_MIRRORED = ['index/src/documents/older-sets', 'index/src/merging/left-merges', 'search/src/**/*'].map(
  (name) => `packages/engine/${name}.test.ts`,
);
/** They commit nothing in their own thread, or another thread writes, whose stores are not mirrored. */
const UNMIRRORED = [
  '{answer-bytes,lossless-answer}',
  '{bitmap-pool,bounds,bucket-sort,document-splitter,path-finder,position-tables,score-details}',
  '{check-rules,document-values,merge-documents,merge-facets}',
  '{stage-clock,hit-formatter,near-forms,place-pins,query-terms,score-items}',
  'views-of-one-commit',
].map((name) => `packages/engine/search/src/**/${name}.test.ts`);
const storageSources = new URL('./packages/foundation/storage/src/', import.meta.url).pathname;

/** Suites of tests that packages call that implement a port, and servers for tests: always sources. */
const testSupport = [...folders, 'apps/server'].map((folder) => ({
  find: new RegExp(`^@fossick/${basename(folder)}/((?:[\\w-]+/)*[\\w-]+\\.test-support)$`),
  replacement: `${join(rootFolder, folder, 'src/')}$1.ts`,
}));
/** The packages as their sources. */
const sources = folders.flatMap((folder) => {
  const name = basename(folder);
  const place = join(rootFolder, folder, 'src/');
  return [
    { find: new RegExp(`^@fossick/${name}$`), replacement: `${place}index.ts` },
    // a second entry point of a package is a file of that name
    { find: new RegExp(`^@fossick/${name}/([\\w-]+)$`), replacement: `${place}$1.ts` },
  ];
});
const fromSources = { resolve: { alias: [...sources, ...testSupport] } };

export default defineConfig({
  test: {
    // they tell that something hangs, not that the machine is busy: hooks start servers, too
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // what is built stays with what is built: a thread of another package is started from its own files
    server: { deps: { external: [/\/(packages|apps)\/([^/]+\/){1,2}dist\//] } },
    env: { FOSSICK_TEST_SEED: testSeed },
    setupFiles: ['./tools/run/test-setup.ts'],
    projects: [
      {
        extends: true,
        ...fromSources,
        test: {
          name: 'unit',
          include: ['{packages,apps/dashboard,bench}/**/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...SYSTEM, ...LONG, ...ISOLATED, IN_SERVER],
          maxWorkers: WORKER_COUNT,
          // some 300 modules are evaluated once for each worker, not for each file
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // the server runs in the process of the test, with the packages as they are built: there is one copy of each
        extends: true,
        resolve: { alias: testSupport },
        test: {
          name: 'server',
          include: ['apps/server/src/**/*.test.ts', IN_SERVER],
          exclude: [...configDefaults.exclude, ...SYSTEM, ...LONG],
          setupFiles: [BUNDLED_THREADS],
          maxWorkers: WORKER_COUNT,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        ...fromSources,
        test: { name: 'isolated', include: ISOLATED, maxWorkers: WORKER_COUNT, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        ...fromSources,
        test: {
          name: 'system',
          include: SYSTEM,
          exclude: [...configDefaults.exclude, ...PAGES, ...SERVERS, ...CLUSTERS],
          maxWorkers: WORKER_COUNT,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        ...fromSources,
        test: {
          name: 'servers',
          include: SERVERS,
          exclude: [...configDefaults.exclude, ...PAGES],
          setupFiles: [BUNDLED_THREADS],
          maxWorkers: WORKER_COUNT,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        resolve: {
          alias: [
            { find: /^@fossick\/storage$/, replacement: `${storageSources}mirrored-stores.test-support.ts` },
            ...fromSources.resolve.alias,
          ],
        },
        test: {
          name: 'mirrored',
          include: process.env['FOSSICK_MIRRORED'] === 'all' ? [...MIRRORED, ...OTHERS_MIRRORED] : MIRRORED,
          exclude: [...configDefaults.exclude, ...UNMIRRORED],
          setupFiles: [`${storageSources}mirrored-setup.test-support.ts`],
          maxWorkers: WORKER_COUNT,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        ...fromSources,
        test: { name: 'pages', include: PAGES, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        ...fromSources,
        test: {
          name: 'clusters',
          include: CLUSTERS,
          maxWorkers: Math.ceil(WORKER_COUNT / 2),
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        ...fromSources,
        test: { name: 'long', include: LONG, maxWorkers: 1, sequence: { groupOrder: 4 } },
      },
    ],
  },
});
