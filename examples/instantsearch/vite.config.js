import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { defineConfig } from 'vite';

// widgets and their templates need the same preact, also where another package has brought a second one
const require = createRequire(import.meta.url);
const ofWidgets = createRequire(require.resolve('instantsearch.js'));

export default defineConfig({
  resolve: { alias: [{ find: /^preact(?=\/|$)/, replacement: dirname(ofWidgets.resolve('preact/package.json')) }] },
});
