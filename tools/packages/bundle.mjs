/**
 * The published server and the published package `fossick` are bundles: their modules, those of our packages and of the libraries that they use become some
 * forty files instead of fourteen hundred, so that they need not be installed and are read at once at a start
 * (docs/internals/decisions/in-process-and-bundle.md). `bundle` makes one from the compiler's output. Names and lines stay readable.
 */
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { rootFolder } from '../run/workspace.mjs';

/** Installed next to the bundle: native code, modules that it shares, and a page made of files. */
export const KEPT = ['lmdb', 'msgpackr', 'fs-native-extensions', '@fossick/dashboard'];
/** Native ports that a library uses where they are installed, and does without elsewhere. */
const OPTIONAL = ['bufferutil', 'utf-8-validate'];
/** Libraries that our code loads by `require` with the first text that needs them: a file each, with this name. */
const LATER = { liquidjs: 'liquid.cjs', '@turf/boolean-intersects': 'boolean-intersects.cjs', franc: 'franc.cjs' };

/**
 * Files that a module finds relative to itself: the expression in the source, and that of the bundle. Each must occur.
 */
const PLACES = [
  {
    module: 'packages/service/api/dist/names/product-version.js',
    said: "'../../package.json'",
    is: "'../package.json'",
  },
  {
    module: 'packages/foundation/kernel/dist/instance.js',
    said: '`../build/kernel.${build}.wasm`',
    is: '`../build/kernel.${build}.wasm`',
  },
  {
    module: 'packages/foundation/tokenizer/dist/dictionaries/package-file.js',
    said: '`../../${path}`',
    is: '`DATA/${path}`',
  },
  {
    module: 'apps/server/dist/sample.js',
    said: "'../../../data/movies-sample.ndjson'",
    is: "'../sample/movies-sample.ndjson.br'",
  },
];
/**
 * Libraries that fastify loads only for schemas of routes and for injected requests: no route has any
 * (apps/server/src/app.ts), and requests from within the process do without fastify's part. In the bundle their text would be in the
 * heap of each process.
 */
const UNUSED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];
const BY_FASTIFY = /[\\/]node_modules[\\/]fastify[\\/]/;
const UNUSED_TEXT = `module.exports = () => { throw new Error('this library is not in the bundle'); };`;
const OWN_MODULE = /^(packages|apps)\/([^/]+\/){1,2}dist\//;
const BASE_MODULE = /packages[\\/]foundation[\\/]base[\\/]dist/;
const LOCATED = /new URL\(([^,()]+), import\.meta\.url\)/g;
const THREAD = /^'\.\/([\w-]+)\.js'$/;
const LOADED = /\b(require\w*|createRequire\(import\.meta\.url\)|loadPackage)\((["'])([^"'.][^"']*)\2\)/g;

/**
 * Writes a bundle into a folder. `entries`: programs and entry points, by the names of their files, relative to the root; threads
 * are found by the code that starts them. `data`: the address of the folder with the folder `dictionaries`, relative to the bundle. Returns the folders of the third-party packages whose code is in it. Throws where a
 * module of ours finds a file, a thread or a library in a way that the bundle does not handle.
 */
export async function bundle(entries, target, data) {
  const placed = new Set();
  const wanted = new Set();
  const plugin = {
    name: 'fossick-places',
    resolveId: (name, importer = '') =>
      UNUSED.includes(name) && BY_FASTIFY.test(importer) ? `\0unused:${name}.cjs` : null,
    load: (id) => (id.startsWith('\0unused:') ? UNUSED_TEXT : null),
    transform(code, id) {
      const module = relative(rootFolder, id);
      if (!OWN_MODULE.test(module)) return null;
      const moved = code
        .replace(LOCATED, (all, given) => {
          // `npm start` compiles with other quotes
          const said = given.replace(/^"(.*)"$/, "'$1'");
          const thread = THREAD.exec(said)?.[1];
          if (thread !== undefined) {
            this.emitFile({ type: 'chunk', id: join(dirname(id), `${thread}.js`), fileName: `${thread}.js` });
            return all;
          }
          const place = PLACES.find((one) => one.module === module && one.said === said);
          if (place === undefined) throw new Error(`${module}: what is ${said} in the bundle? See PLACES`);
          placed.add(place);
          return all.replace(given, place.is.replace('DATA', data));
        })
        .replace(LOADED, (all, _, quote, name) => {
          if (isBuiltin(name) || KEPT.some((kept) => name === kept || name.startsWith(`${kept}/`))) return all;
          if (LATER[name] === undefined) throw new Error(`${module}: who has ${name} in the bundle? See LATER`);
          wanted.add({ name, from: id });
          return all.replace(`${quote}${name}${quote}`, `'./${LATER[name]}'`);
        });
      return moved === code ? null : { code: moved, map: null };
    },
  };
  const inputs = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(rootFolder, file)]));
  const bundled = await write(inputs, target, { plugins: [plugin] });
  const missed = PLACES.filter((place) => !placed.has(place));
  if (missed.length > 0)
    throw new Error(`nobody asks for ${missed.map(({ said }) => said).join(', ')} any more: see PLACES`);
  for (const { name, from } of wanted) {
    const input = { [basename(LATER[name], '.cjs')]: createRequire(from).resolve(name) };
    bundled.push(...(await write(input, target, {}, { format: 'cjs', entryFileNames: '[name].cjs' })));
  }
  return thirdFolders(bundled);
}

async function write(input, dir, inputOptions, outputOptions = {}) {
  const build = await rolldown({
    input,
    // paths in the output are relative to this, so that none of this machine is in them
    cwd: rootFolder,
    platform: 'node',
    external: [...KEPT, ...OPTIONAL],
    // a module of ours that is imported for one name has no side effects
    treeshake: { moduleSideEffects: (id) => !OWN_MODULE.test(relative(rootFolder, id)) },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
    ...inputOptions,
  });
  const { output } = await build.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: false,
    // one character beyond Latin 1 makes V8 store a whole file with two bytes per character
    charset: 'ascii',
    // the path of each module is above its code, so that a stack trace can be understood
    minify: false,
    // its many small modules are in nearly every piece: as pieces of their own each would take a block of the disk
    codeSplitting: { groups: [{ name: 'base', test: BASE_MODULE, minShareCount: 2 }] },
    // comments stay in the source: they would be a fifth of what is read at a start
    comments: { legal: true, annotation: false, jsdoc: false },
    ...outputOptions,
  });
  await build.close();
  return output.flatMap(({ moduleIds }) => moduleIds ?? []);
}

/** Folders of third-party packages, sorted. */
function thirdFolders(moduleIds) {
  const folders = moduleIds.map((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(id.replace(/^\0/, ''))?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}
