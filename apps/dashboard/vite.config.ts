import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { iconShapes } from './icon-shapes.js';
import about from './package.json' with { type: 'json' };

const compat = fileURLToPath(new URL('react.config.ts', import.meta.url));

export default defineConfig({
  // relative paths: the server may be behind a proxy, below any path
  base: './',
  plugins: [iconShapes()],
  define: { FOSSICK_VERSION: JSON.stringify(about.version) },
  resolve: {
    alias: [
      { find: /^react$/, replacement: compat },
      { find: /^react-dom$/, replacement: 'preact/compat' },
      { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
      { find: /^react\/jsx-(dev-)?runtime$/, replacement: 'preact/jsx-runtime' },
    ],
  },
  build: {
    outDir: 'dist',
    // a folder of files named by their content hash, which browsers may cache forever
    assetsDir: 'dashboard',
    assetsInlineLimit: 0,
    // one small file instead of ten, each of which takes a block on disk
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    rolldownOptions: {
      onLog(level, log, handler) {
        // libraries mark their files for server rendering, which is not used here
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handler(level, log);
      },
    },
  },
  server: { proxy: { '^/(?!(src|@|node_modules|\\?|$))': 'http://127.0.0.1:7700' } },
});
