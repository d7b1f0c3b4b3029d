/**
 * The build of `npm start`: only what is needed to find a film. Types are checked elsewhere (`npm run build`, `npm run
 * typecheck`), so they are only stripped from the sources; the kernel is compiled without its checked forms; and the
 * dashboard is built while the server already runs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolders, rootFolder, runCommand } from './workspace.mjs';

const MARK = '.quick';
/** What `build.mjs` of the kernel compiles. */
const ALL_FORMS = ['fast', 'checked', 'shared', 'sharedChecked'];
const dashboardFolder = join(rootFolder, 'apps', 'dashboard');
const kernelFolder = join(rootFolder, 'packages', 'foundation', 'kernel');

/**
 * Builds everything that the server runs, without the dashboard. Does nothing if it is up to date. Throws when it
 * fails.
 */
export async function buildServer() {
  await Promise.all([buildKernel(['fast', 'shared']), buildSources()]);
}

/** The same for tests, which run on all forms of the kernel. Types are checked by `npm run build`. */
export async function buildForTests() {
  await Promise.all([buildKernel(ALL_FORMS), buildSources()]);
}

/** Builds the dashboard: a running server serves it from then on. Throws when it fails. */
export async function buildDashboard() {
  const inputs = ['src', 'index.html', 'package.json', 'vite.config.ts', 'react.config.ts', 'icon-shapes.ts'];
  const state = stateOf(sourcesOf(inputs, dashboardFolder));
  const built = join(dashboardFolder, 'dist');
  if (isUpToDate(built, state, () => isNewer(join(built, 'index.html'), sourcesOf(inputs, dashboardFolder)))) return;
  const next = join(dashboardFolder, 'build', 'next');
  rmSync(next, { recursive: true, force: true });
  // tells the server that the page is being built
  mkdirSync(next, { recursive: true });
  const vite = join(dirname(packageFile('vite/package.json', dashboardFolder)), 'bin', 'vite.js');
  const args = [vite, 'build', '--outDir', next, '--emptyOutDir', '--logLevel', 'error'];
  if ((await runCommand(process.execPath, args, { cwd: dashboardFolder })) !== 0) {
    rmSync(next, { recursive: true, force: true });
    throw new Error('the dashboard cannot be built');
  }
  writeFileSync(markOf(next), state);
  // in one step, so that no page is served without some of its files
  rmSync(built, { recursive: true, force: true });
  renameSync(next, built);
}

/** Each form has a mark of its own: a start needs two of them, that of the thread of requests and that of search threads, tests need all. */
async function buildKernel(forms) {
  const built = join(kernelFolder, 'build');
  const inputs = sourcesOf(['assembly', 'build.mjs'], kernelFolder);
  const state = stateOf(inputs);
  const outputOf = (form) => join(built, `kernel.${form}.wasm`);
  const isBuilt = (form) => isUpToDate(outputOf(form), state, () => isNewer(outputOf(form), inputs));
  await Promise.all(
    forms
      .filter((form) => !isBuilt(form))
      .map(async (form) => {
        if ((await runCommand(process.execPath, ['build.mjs', form], { cwd: kernelFolder })) !== 0)
          throw new Error('the kernel cannot be built');
        writeFileSync(markOf(outputOf(form)), state);
      }),
  );
}

async function buildSources() {
  const folders = packageFolders()
    .map((folder) => join(rootFolder, folder))
    .filter((folder) => existsSync(join(folder, 'src')) && folder !== dashboardFolder);
  const outdated = folders
    .map((folder) => ({ folder, files: translatedFiles(folder), state: stateOf(sourcesOf(['src'], folder)) }))
    .filter(
      ({ folder, files, state }) =>
        !isUpToDate(join(folder, 'dist'), state, () => files.every(({ source, target }) => isNewer(target, [source]))),
    );
  if (outdated.length === 0) return;
  const { transformWithOxc } = await import(pathToFileURL(packageFile('vite', dashboardFolder)).href);
  for (const { folder, files, state } of outdated) {
    await Promise.all(files.map(({ source, target }) => translate(transformWithOxc, source, target)));
    writeFileSync(markOf(join(folder, 'dist')), state);
  }
}

/** What becomes a file of JavaScript in a package, and which one. */
function translatedFiles(folder) {
  const sources = join(folder, 'src');
  return filesBelow(sources)
    .filter((file) => /\.ts$/.test(file) && !/\.(test|test-support|bench)\.ts$/.test(file))
    .map((source) => ({
      source,
      target: join(folder, 'dist', source.slice(sources.length)).replace(/\.ts$/, '.js'),
    }));
}

async function translate(transform, source, target) {
  const options = { lang: 'ts', target: 'es2023', sourcemap: false, typescript: { onlyRemoveTypeImports: true } };
  const { code } = await transform(readFileSync(source, 'utf8'), source, options);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, code);
}

/** A file of a package, resolved as from code in `from`. */
function packageFile(name, from) {
  return createRequire(join(from, 'package.json')).resolve(name);
}

/** All files of these files and folders, with whole paths. */
function sourcesOf(names, folder) {
  return names
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]));
}

/** Names, sizes and times of files: any change of a file changes it. */
function stateOf(files) {
  return files
    .map((file) => {
      const { size, mtimeMs } = statSync(file);
      return `${file.slice(rootFolder.length)} ${size} ${mtimeMs}`;
    })
    .sort()
    .join('\n');
}

/** The mark of a folder is in it, that of a file is next to it. */
function markOf(output) {
  return output.endsWith('.wasm') ? `${output}${MARK}` : join(output, MARK);
}

/** What the full build made has no mark: there `hasNewerFiles` compares times. */
function isUpToDate(output, state, hasNewerFiles) {
  const mark = markOf(output);
  return existsSync(mark) ? readFileSync(mark, 'utf8') === state : hasNewerFiles();
}

function isNewer(output, inputs) {
  if (!existsSync(output)) return false;
  const builtMs = statSync(output).mtimeMs;
  return inputs.every((input) => statSync(input).mtimeMs <= builtMs);
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
