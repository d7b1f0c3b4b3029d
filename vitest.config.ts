import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Tests read the sources of every room, so a test run needs no build but the kernel's. */
const rooms = readdirSync(new URL('./packages', import.meta.url));

export default defineConfig({
  resolve: {
    alias: rooms.map((room) => ({
      find: `@fossick/${room}`,
      replacement: new URL(`./packages/${room}/src/index.ts`, import.meta.url).pathname,
    })),
  },
  test: {
    include: ['{packages,apps,tools,bench}/**/src/**/*.test.ts', 'tools/**/*.test.ts'],
    testTimeout: 60_000,
    // what is built stays with what is built: a thread of another room is started from its own files
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
  },
});
