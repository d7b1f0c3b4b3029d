#!/usr/bin/env node
/**
 * Writes `@fossick/server` or `fossick` in its published form: a bundle (./bundle.mjs), its types, the files that it
 * reads, and a package.json with only the dependencies that are not in it. `node tools/packages/stage-bundle.mjs FOLDER
 * [PACKAGE]`; the packages must be built. The command is FOLDER/bin/fossick.js.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { packageFolders, rootFolder } from '../run/workspace.mjs';
import { bundle, KEPT } from './bundle.mjs';
import { copyTypes } from './bundled-types.mjs';
import { noticeOf } from './notice.mjs';
import { manifestOf } from './published.mjs';

const COMMAND = 'apps/server/dist/main.js';
/** Runs before the command is loaded. */
const COMPILED_CODE = 'apps/server/dist/compiled-code.js';
/** The entry points of the packages that are published as bundles, by their folders; both have the command. */
const BUNDLED = {
  'apps/server': { main: COMMAND, 'compiled-code': COMPILED_CODE, index: 'apps/server/dist/index.js' },
  'packages/fossick': {
    main: COMMAND,
    'compiled-code': COMPILED_CODE,
    index: 'packages/fossick/dist/index.js',
    elsewhere: 'packages/fossick/dist/elsewhere.js',
  },
};
export const BUNDLED_FOLDERS = Object.keys(BUNDLED);

/** Files that the bundle reads, and their folders. */
const KERNELS = { from: 'packages/foundation/kernel/build', to: 'build', isWanted: (name) => name.endsWith('.wasm') };
const DICTIONARIES = {
  from: 'packages/foundation/tokenizer/dictionaries',
  to: 'dictionaries',
  // the licences of the data, too
  isWanted: () => true,
};

/** The films of `--sample`, and the page that names their licence. */
const SAMPLE = { from: 'data', to: 'sample', films: 'movies-sample.ndjson', licence: 'README.md' };

/**
 * Writes the package of a folder of the repository into a folder, which is created. Without types it runs alike, and the build that
 * only strips them is enough (tools/run/quick-build.mjs).
 */
export async function stageBundle(from, folder, hasTypes = true) {
  mkdirSync(folder, { recursive: true });
  // modules for pages, which are bundles already and have the dictionaries
  const browser = join(rootFolder, from, 'dist/browser');
  const hasBrowser = existsSync(browser);
  const thirds = await bundle(BUNDLED[from], join(folder, 'dist'), hasBrowser ? './browser' : '..');
  writeFileSync(join(folder, 'NOTICE'), noticeOf(thirds));
  const manifest = manifestOf(from);
  const entries = Object.entries(manifest.exports).filter(([, { types }]) => hasTypes && types !== undefined);
  const declared = entries.map(([, { types }]) => join(from, types));
  const places = copyTypes(declared, join(folder, 'types'));
  const typed = Object.fromEntries(
    entries.map(([entry, target], at) => [entry, { ...target, types: `./types/${places[at]}` }]),
  );
  for (const { from: source, to, isWanted } of hasBrowser ? [KERNELS] : [KERNELS, DICTIONARIES]) {
    const names = readdirSync(join(rootFolder, source)).filter(isWanted);
    if (names.length === 0) throw new Error(`${source} is empty: npm run build`);
    for (const name of names) cpSync(join(rootFolder, source, name), join(folder, to, name), { recursive: true });
  }
  if (hasBrowser) cpSync(browser, join(folder, 'dist/browser'), { recursive: true });
  stageSample(folder);
  for (const name of ['bin', 'README.md', 'LICENSE'])
    cpSync(join(rootFolder, from, name), join(folder, name), { recursive: true });
  const published = publishedManifest(manifest, typed);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

/** Compressed: 0.3 MB instead of 1.3. */
function stageSample(folder) {
  const read = (name) => readFileSync(join(rootFolder, SAMPLE.from, name));
  mkdirSync(join(folder, SAMPLE.to));
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(join(folder, SAMPLE.to, `${SAMPLE.films}.br`), brotliCompressSync(read(SAMPLE.films), { params }));
  writeFileSync(join(folder, SAMPLE.to, SAMPLE.licence), read(SAMPLE.licence));
}

/** Nothing is left to build, and only those dependencies of our packages that are not in the bundle are installed. */
function publishedManifest({ files, scripts, devDependencies, ...manifest }, typed) {
  const bundled = packageFolders().map(manifestOf);
  const asked = Object.assign({}, ...bundled.map(({ dependencies }) => dependencies));
  return {
    ...manifest,
    exports: { ...manifest.exports, ...typed },
    dependencies: Object.fromEntries([...KEPT].sort().map((name) => [name, asked[name]])),
    peerDependencies: Object.assign({}, ...bundled.map(({ peerDependencies }) => peerDependencies)),
    peerDependenciesMeta: Object.assign({}, ...bundled.map(({ peerDependenciesMeta }) => peerDependenciesMeta)),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, from = 'apps/server'] = process.argv;
  if (folder === undefined) {
    console.error('usage: node tools/packages/stage-bundle.mjs FOLDER [PACKAGE]');
    process.exit(2);
  }
  await stageBundle(from, folder);
}
