import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
// @ts-expect-error: the tool is plain JavaScript
import { packageFolders, rootFolder } from './tools/run/workspace.mjs';

/** Tests read the sources of every package, so a test run needs no build but the kernel's. */
const folders: readonly string[] = packageFolders().filter((folder: string) => folder.startsWith('packages/'));

/** Files that measure how long others wait for a server: nothing else runs beside them. */
const ALONE = ['event-loop-budget', 'event-loop-settings', 'remote-event-loop', 'first-words', 'bombs'].map(
  (name) => `apps/server/src/reliability/${name}.test.ts`,
);
/** Files at a time: many wait for a server or a clock most of their time, so that two share two cores. FOSSICK_TEST_WORKERS sets it. */
const WORKER_COUNT = Number(process.env['FOSSICK_TEST_WORKERS'] ?? Math.max(2, availableParallelism() - 1));

export default defineConfig({
  resolve: {
    alias: folders.flatMap((folder) => {
      const name = basename(folder);
      const sources = join(rootFolder, folder, 'src/');
      return [
        { find: new RegExp(`^@fossick/${name}$`), replacement: `${sources}index.ts` },
        // a second entry point of a package is a file of that name
        { find: new RegExp(`^@fossick/${name}/([\\w-]+)$`), replacement: `${sources}$1.ts` },
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
          name: 'beside others',
          include: ['{packages,apps,tools,bench}/**/src/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
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
