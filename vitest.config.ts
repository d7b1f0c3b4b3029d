import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Tests read the sources of every room, so a test run needs no build but the kernel's. */
const rooms = readdirSync(new URL('./packages', import.meta.url));

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
    include: ['{packages,apps,tools,bench}/**/src/**/*.test.ts', 'tools/**/*.test.ts'],
    // they tell that something hangs, not that the machine is busy: hooks start servers, too
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // what is built stays with what is built: a thread of another room is started from its own files
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
  },
});
