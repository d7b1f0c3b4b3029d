#!/usr/bin/env node
/**
 * Writes dist/browser: the modules of `fossick/web` with all that they load, as modules that a page or a worker can import
 * without a bundler, beside them the kernel and the dictionaries. Needs the compiled packages.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const here = import.meta.dirname;
const rootFolder = resolve(here, '../..');
const target = join(here, 'dist/browser');
const foundation = join(rootFolder, 'packages/foundation');
const OWN_MODULE = /^packages\/([^/]+\/){1,2}dist\//;

/** What only Node.js has: addresses of files, for which bundlers would look, and its modules, which Bun and Deno have as well. */
const NODE_PLACES = {
  'packages/foundation/base/dist/process/built-in.js': {
    said: 'globalThis.process?.getBuiltinModule?.(name)',
    is: 'undefined',
  },
  'packages/foundation/kernel/dist/instance.js': {
    said: 'new URL(`../build/kernel.${build}.wasm`, import.meta.url)',
    is: "new URL('about:blank')",
  },
  'packages/foundation/tokenizer/dist/segmenting/package-file.js': {
    said: 'new URL(`../../${path}`, import.meta.url)',
    is: "new URL('about:blank')",
  },
};
const replaced = new Set();

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
// each entry by itself: what only `index.js` uses of a shared module would be in `search.js`, too
for (const name of ['index', 'search']) await writeEntry(name);

/** Writes an entry with all that it loads; libraries that few searches need are files that both entries share. */
async function writeEntry(name) {
  const build = await rolldown({
    input: { [name]: join(here, `dist/web/${name}.js`) },
    cwd: rootFolder,
    platform: 'browser',
    // a module of ours that is imported for one name has no side effects
    treeshake: { moduleSideEffects: (id) => !OWN_MODULE.test(relative(rootFolder, id)) },
    plugins: [
      {
        name: 'node-places',
        transform(code, id) {
          const module = relative(rootFolder, id);
          const place = NODE_PLACES[module];
          if (place === undefined) return null;
          if (!code.includes(place.said)) throw new Error(`${module} has no ${place.said} any more`);
          replaced.add(module);
          return { code: code.replace(place.said, () => place.is), map: null };
        },
        resolveId: (name) => {
          if (name.startsWith('node:')) throw new Error(`${name} is in no browser`);
          return null;
        },
      },
    ],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  await build.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await build.close();
}
if (replaced.size !== Object.keys(NODE_PLACES).length) throw new Error('not everything of Node.js was replaced');
cpSync(join(foundation, 'kernel/build/kernel.fast.wasm'), join(target, 'kernel.wasm'));
// with the licences of their data
cpSync(join(foundation, 'tokenizer/dictionaries'), join(target, 'dictionaries'), { recursive: true });
