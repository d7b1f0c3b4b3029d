import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests read the sources of every room, so a test run needs no build but the kernel's. */
const rooms = readdirSync(new URL('./packages', import.meta.url));

/** Files that measure how long others wait for a server: nothing else runs beside them. */
const ALONE = ['event-loop-budget', 'remote-event-loop', 'first-words', 'bombs'].map(
  (name) => `apps/server/src/reliability/${name}.test.ts`,
);
/** Files at a time: many wait for a server or a clock most of their time, so that two share two cores. FOSSICK_TEST_WORKERS sets it. */
const WORKER_COUNT = Number(process.env['FOSSICK_TEST_WORKERS'] ?? Math.max(2, availableParallelism() - 1));

export default defineConfig({
  resolve: {
    alias: rooms.flatMap((room) => {
      const sources = new URL(`./packages/${room}/src/`, import.meta.url).pathname;
      return [
        { find: new RegExp(`^@fossick/${room}$`), replacement: `${sources}index.ts` },
        // a second door of a room is a file of that name
        { find: new RegExp(`^@fossick/${room}/([\\w-]+)$`), replacement: `${sources}$1.ts` },
      ];
    }),
  },
  test: {
    // they tell that something hangs, not that the machine is busy: hooks start servers, too
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // what is built stays with what is built: a thread of another room is started from its own files
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
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
