import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
// @ts-expect-error: the tool is plain JavaScript
import { packageFolders, rootFolder } from './tools/run/workspace.mjs';

/** Tests read the sources of every package, so a test run needs no build but the kernel's. */
const folders: readonly string[] = packageFolders().filter((folder: string) => folder.startsWith('packages/'));

/** Files that measure how long others wait for a server: no other file runs at the same time. */
const ALONE = [
  'event-loop-budget',
  'event-loop-settings',
  'hostile-provider',
  'remote-event-loop',
  'first-words',
  'bombs',
].map((name) => `apps/server/src/reliability/${name}.test.ts`);
/** Files at a time: many wait for a server or a clock most of their time, so that two share two cores. FOSSICK_TEST_WORKERS sets it. */
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
  '{check-rules,distinct-values,merge-documents,merge-facets}',
  '{elapsed,hit-formatter,near-forms,place-pins,query-terms,score-items}',
  'views-of-one-commit',
].map((name) => `packages/engine/search/src/**/${name}.test.ts`);
const storageSources = new URL('./packages/foundation/storage/src/', import.meta.url).pathname;

export default defineConfig({
  resolve: {
    alias: folders.flatMap((folder) => {
      const name = basename(folder);
      const sources = join(rootFolder, folder, 'src/');
      return [
        { find: new RegExp(`^@fossick/${name}$`), replacement: `${sources}index.ts` },
        // a second entry point of a package is a file of that name
        { find: new RegExp(`^@fossick/${name}/([\\w-]+)$`), replacement: `${sources}$1.ts` },
        // suites of tests that packages call that implement a port, and servers for tests
        {
          find: new RegExp(`^@fossick/${name}/((?:[\\w-]+/)*[\\w-]+\\.test-support)$`),
          replacement: `${sources}$1.ts`,
        },
      ];
    }),
  },
  test: {
    // they tell that something hangs, not that the machine is busy: hooks start servers, too
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // what is built stays with what is built: a thread of another package is started from its own files
    server: { deps: { external: [/\/packages\/([^/]+\/){1,2}dist\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'parallel',
          include: ['{packages,apps,tools,bench}/**/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          maxWorkers: WORKER_COUNT,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        resolve: {
          alias: [{ find: /^@fossick\/storage$/, replacement: `${storageSources}mirrored-stores.test-support.ts` }],
        },
        test: {
          name: 'mirrored',
          include: process.env['FOSSICK_MIRRORED'] === 'all' ? [...MIRRORED, ...OTHERS_MIRRORED] : MIRRORED,
          exclude: [...configDefaults.exclude, ...UNMIRRORED],
          setupFiles: [`${storageSources}mirrored-setup.test-support.ts`],
          maxWorkers: WORKER_COUNT,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
