#!/usr/bin/env node
/**
 * Writes dist/browser: the modules of `fossick/web` with all that they load, as modules that a page or a worker can import
 * without a bundler, next to them the kernel and the dictionaries. Needs the compiled packages.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { firstBuild, laterParts, PARTS } from './later-parts.mjs';

const here = import.meta.dirname;
const rootFolder = resolve(here, '../..');
const target = join(here, 'dist/browser');
const foundation = join(rootFolder, 'packages/foundation');
const OWN_MODULE = /^packages\/([^/]+\/){1,2}dist\//;

/** `search.js` has only the half of msgpackr that reads. */
const READING_HALF = "export { Unpackr as Packr, addExtension } from 'msgpackr/unpack';";

/** The files of libraries that few searches need. */
const LIBRARIES = ['franc', 'liquid.browser', 'esm'];

/** What only Node.js has: addresses of files, for which bundlers would look, and its modules, which Bun and Deno have as well. */
const NODE_PLACES = {
  // no test makes a page fail, so that nothing of fault points is left in the bundle
  'packages/foundation/base/dist/process/fault-points.js': {
    said: "readFaults(globalThis.process?.env?.['FOSSICK_FAULTS'])",
    is: 'undefined',
  },
  'packages/foundation/base/dist/process/built-in.js': {
    said: 'globalThis.process?.getBuiltinModule?.(name)',
    is: 'undefined',
  },
  'packages/foundation/kernel/dist/instance.js': {
    said: 'new URL(`../build/kernel.${build}.wasm`, import.meta.url)',
    is: "new URL('about:blank')",
  },
  'packages/foundation/tokenizer/dist/dictionaries/package-file.js': {
    said: 'new URL(`../../${path}`, import.meta.url)',
    is: "new URL('about:blank')",
  },
};
const replaced = new Set();

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
// each entry by itself: what only `index.js` uses of a shared module would be in `search.js`, too
await writeEntry('index', [], []);
const packages = join(rootFolder, 'packages');
const reading = {
  name: 'reading-half',
  resolveId: (name) => (name === 'msgpackr' ? join(rootFolder, 'node_modules/reading-half.js') : null),
  load: (id) => (id.endsWith('/reading-half.js') ? READING_HALF : null),
};
const build = await built('search', [reading, laterParts(packages, null)]);
const { names, isFirst } = firstBuild(packages, (await build.generate({ format: 'esm' })).output);
await build.close();
const files = await writeEntry('search', [reading, laterParts(packages, names)], [{ name: 'search', test: isFirst }]);
const known = new Set(['search', 'widget-answers', ...Object.keys(PARTS), ...LIBRARIES]);
// a file that two parts share would be fetched after the first of them
for (const { name } of files) if (!known.has(name)) throw new Error(`${name} is in a file that parts share`);

/** Writes an entry with all that it loads; libraries that few searches need are files that both entries share. */
async function writeEntry(name, plugins, groups) {
  const build = await built(name, plugins);
  const { output } = await build.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups },
    minify: true,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await build.close();
  return output;
}

function built(name, plugins) {
  return rolldown({
    input: { [name]: join(here, `dist/web/${name}.js`) },
    cwd: rootFolder,
    platform: 'browser',
    preserveEntrySignatures: 'allow-extension',
    // a module of ours that is imported for one name has no side effects
    treeshake: { moduleSideEffects: (id) => !OWN_MODULE.test(relative(rootFolder, id)) },
    plugins: [
      ...plugins,
      {
        name: 'node-places',
        transform(code, id) {
          const module = relative(rootFolder, id);
          const place = NODE_PLACES[module];
          if (place === undefined) return null;
          // `npm start` compiles with other quotes
          const said = [place.said, place.said.replaceAll("'", '"')].find((text) => code.includes(text));
          if (said === undefined) throw new Error(`${module} has no ${place.said} any more`);
          replaced.add(module);
          return { code: code.replace(said, () => place.is), map: null };
        },
        resolveId: (name) => {
          if (name.startsWith('node:')) throw new Error(`${name} is in no browser`);
          return null;
        },
      },
    ],
    // how long the machine takes is no fault of the build
    checks: { bundlerTimings: false },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
}
if (replaced.size !== Object.keys(NODE_PLACES).length) throw new Error('not everything of Node.js was replaced');
cpSync(join(foundation, 'kernel/build/kernel.fast.wasm'), join(target, 'kernel.wasm'));
// with the licences of their data
cpSync(join(foundation, 'tokenizer/dictionaries'), join(target, 'dictionaries'), { recursive: true });
