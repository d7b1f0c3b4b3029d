/** Each rule takes the checkout's files and returns the violations, one sentence each. */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import {
  ALLOWED_IMPORTS,
  DATA_TABLES,
  DOUBLE_CASTS,
  EMPTY_NAMES,
  EXTENSIONS_GROUP,
  FOREIGN_TEXTS,
  GROUPS,
  HELD_TIMEOUTS,
  MAX_FILE_LINES,
  MAX_PARAMETERS,
  PURE_PACKAGE_READERS,
  PURE_PACKAGES,
  SOLE_IMPORTERS,
  UNINSTALLED_PACKAGES,
  WASM_FOLDER,
} from './packages.js';
import { type CodeFacts, isCode, isTest, readFacts, type SourceFile } from './source-file.js';

export interface CodeFile extends SourceFile, CodeFacts {}

/** A package.json, as far as the rules read it. */
export interface Manifest {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function parseCode(files: readonly SourceFile[]): CodeFile[] {
  return files.filter((file) => isCode(file.path)).map((file) => ({ ...file, ...readFacts(file) }));
}

/** The package (folder) that a path is in, or undefined outside of all (root files, tools). */
export function packageOf(path: string): string | undefined {
  return Object.keys(ALLOWED_IMPORTS).find((folder) => path.startsWith(`${folder}/`));
}

/** Whether a test of an extension imports the server that tests start: it is no dependency, which would be a circle. */
function isServerForTests(path: string, module: string): boolean {
  return path.startsWith(EXTENSIONS_GROUP) && isTest(path) && /^@fossick\/server\/.*\.test-support$/.test(module);
}

/** Packages import only those that the table allows, by package name, and never by a path into another package. */
export function findForbiddenPackageImports(files: readonly CodeFile[]): string[] {
  const finds: string[] = [];
  for (const file of files) {
    const folder = packageOf(file.path);
    if (folder === undefined) continue;
    const ownName = posix.basename(folder);
    for (const module of file.modules) {
      const target = /^@fossick\/([^/]+)/.exec(module)?.[1];
      if (isServerForTests(file.path, module)) continue;
      if (target !== undefined && !(ALLOWED_IMPORTS[folder] ?? []).includes(target)) {
        finds.push(`${file.path} imports ${module}: ${ownName} may not know ${target}`);
      }
      if (module.startsWith('.') && isOutside(folder, file.path, module)) {
        finds.push(`${file.path} imports ${module}: a path out of its package`);
      }
    }
  }
  return finds;
}

/** Bench scripts share the server starter of the tools: the only import by a path out of a package. */
function isOutside(folder: string, path: string, module: string): boolean {
  const target = posix.join(posix.dirname(path), module);
  return !target.startsWith(`${folder}/`) && !(folder === 'bench' && target.startsWith('tools/run/'));
}

/** The table allows no package to import a package of a later group. */
export function findUpwardImports(allowed: Readonly<Record<string, readonly string[]>>): string[] {
  const groupOf = (folder: string): number => GROUPS.findIndex((group) => folder.startsWith(group));
  const groups = new Map(Object.keys(allowed).map((folder) => [posix.basename(folder), groupOf(folder)]));
  return Object.entries(allowed).flatMap(([folder, targets]) => {
    const own = groupOf(folder);
    if (own < 0) return [];
    const later = targets.filter((target) => (groups.get(target) ?? 0) > own);
    return later.map((target) => `${folder} may not import ${target}, which is in a later group`);
  });
}

/** Only one folder each imports lmdb, fastify, pg and the threads of Node. */
export function findMisplacedImports(files: readonly CodeFile[]): string[] {
  return files.flatMap((file) =>
    SOLE_IMPORTERS.flatMap(({ module, folder, within = '', isFreeInTests = false }) =>
      file.path.startsWith(folder) || !file.path.startsWith(within) || (isFreeInTests && isTest(file.path))
        ? []
        : file.modules
            .filter((name) => module.test(name))
            .map((name) => `${file.path} imports ${name}: only ${folder} may`),
    ),
  );
}

/** Only the host code of the kernel uses WebAssembly. */
export function findMisplacedWasm(files: readonly CodeFile[]): string[] {
  return files
    .filter((file) => file.identifiers.has('WebAssembly') && !file.path.startsWith(WASM_FOLDER))
    .map((file) => `${file.path} touches WebAssembly: only ${WASM_FOLDER} may`);
}

/** Pure packages read no clock, no file, no socket. Single files may look for modules of Node.js, and none imports one. */
export function findImpurity(files: readonly CodeFile[]): string[] {
  const finds: string[] = [];
  for (const folder of PURE_PACKAGES) {
    for (const file of files.filter((one) => one.path.startsWith(folder) && !isTest(one.path))) {
      if (file.readsClock) finds.push(`${file.path} reads the clock`);
      for (const module of file.modules)
        if (isBuiltin(module)) finds.push(`${file.path} imports ${module}: the package is pure`);
      const looks = file.identifiers.has('builtIn') || file.identifiers.has('requiredBuiltIn');
      if (looks && !PURE_PACKAGE_READERS.has(file.path)) finds.push(`${file.path} looks for a module of Node.js`);
    }
  }
  return finds;
}

/** Every import of a file is declared in its package.json: hoisting makes undeclared imports work here only. */
export function findUndeclaredImports(files: readonly CodeFile[], manifests: ReadonlyMap<string, Manifest>): string[] {
  const rootDev = manifests.get('')?.devDependencies ?? {};
  const finds: string[] = [];
  for (const file of files) {
    const folder = packageOf(file.path);
    if (folder === undefined) continue;
    const manifest = manifests.get(folder) ?? {};
    const isShipped =
      !isTest(file.path) && file.path.startsWith(`${folder}/src/`) && !UNINSTALLED_PACKAGES.includes(folder);
    const declared = {
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...manifest.optionalDependencies,
      ...(isShipped ? {} : { ...manifest.devDependencies, ...rootDev }),
    };
    for (const module of file.modules) {
      // virtual modules of a bundler are no packages
      if (/^(\.|virtual:)/.test(module) || isBuiltin(module)) continue;
      const name = module
        .split('/')
        .slice(0, module.startsWith('@') ? 2 : 1)
        .join('/');
      // a package may import itself by name, as its users do
      if (name === manifest.name || isServerForTests(file.path, module)) continue;
      if (!(name in declared))
        finds.push(`${file.path} imports ${name}, which ${folder}/package.json does not declare`);
    }
  }
  return finds;
}

/** Every declared dependency is used by the published files: users of the package install all of them. */
export function findUnusedDependencies(
  files: readonly SourceFile[],
  manifests: ReadonlyMap<string, Manifest>,
): string[] {
  const finds: string[] = [];
  for (const [folder, { dependencies }] of manifests) {
    if (folder === '' || UNINSTALLED_PACKAGES.includes(folder)) continue;
    const shipped = files.filter(
      ({ path }) => (path.startsWith(`${folder}/src/`) || path.startsWith(`${folder}/bin/`)) && !isTest(path),
    );
    for (const name of Object.keys(dependencies ?? {}))
      if (!shipped.some(({ text }) => text.includes(`'${name}'`) || text.includes(`'${name}/`)))
        finds.push(`${folder}/package.json declares ${name}, which nothing in it names`);
  }
  return finds;
}

/** Source files stay short enough to be read in one go. */
export function findLongFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => /\.(tsx?|mts|js|mjs)$/.test(file.path) && !isTest(file.path))
    .filter(
      (file) => !DATA_TABLES.some((table) => (table.endsWith('/') ? file.path.startsWith(table) : file.path === table)),
    )
    .map((file) => ({ path: file.path, lineCount: file.text.split('\n').length - 1 }))
    .filter(({ lineCount }) => lineCount > MAX_FILE_LINES)
    .map(({ path, lineCount }) => `${path} has ${lineCount} lines: split past ${MAX_FILE_LINES}`);
}

/** A file's name says what is inside. */
export function findEmptyNames(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.path.split('/').some((part) => EMPTY_NAMES.includes(part.split('.')[0] ?? '')))
    .map((file) => `${file.path}: a name that says nothing`);
}

/** Named exports only; configuration files must have a default one, and a `.d.ts` describes third-party code. */
export function findDefaultExports(files: readonly CodeFile[]): string[] {
  return files
    .filter((file) => file.hasDefaultExport && !/(\.config\.(ts|mjs|js)|\.d\.ts)$/.test(file.path))
    .map((file) => `${file.path} has a default export`);
}

/** No file contains a path of the machine it was written on. */
export function findMachinePaths(files: readonly SourceFile[]): string[] {
  const machinePath = /(?<![\w.:/}-])\/(home|Users|root|work|tmp)\/[\w.-]+|[A-Z]:\\Users\\/;
  return files.flatMap((file) =>
    file.text.split('\n').flatMap((line, at) => {
      const found = file.path.endsWith('.ndjson') ? null : machinePath.exec(line);
      return found === null ? [] : [`${file.path}:${at + 1} names ${found[0]}`];
    }),
  );
}

/** Relative links in documents have a target. `exists` answers for a path relative to the root. */
export function findDeadLinks(files: readonly SourceFile[], exists: (path: string) => boolean): string[] {
  const finds: string[] = [];
  for (const file of files.filter((one) => one.path.endsWith('.md'))) {
    for (const [, link = ''] of file.text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:|^#/.test(link)) continue;
      const target = posix.join(posix.dirname(file.path), link.split('#')[0] ?? '');
      if (!exists(target)) finds.push(`${file.path} links to ${link}, which is not there`);
    }
  }
  return finds;
}

/** More parameters are hard to remember: what belongs together is passed as an object. */
export function findLongParameterLists(files: readonly CodeFile[]): string[] {
  return files
    .filter(({ path }) => !isTest(path))
    .flatMap(({ path, parameterCounts }) =>
      [...parameterCounts]
        .filter(([, count]) => count > MAX_PARAMETERS)
        .map(([name, count]) => `${posix.basename(path)} ${name} has ${count} parameters: ${MAX_PARAMETERS} at most`),
    );
}

/**
 * AbortSignal.any() holds its signals weakly, and Node clears the timer of AbortSignal.timeout() when that is collected:
 * whoever uses one must hold it while it runs.
 */
export function findLooseTimeLimits(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => packageOf(path) !== undefined && /\/src\/.*\.tsx?$/.test(path) && !isTest(path))
    .filter(({ path, text }) => /^[^*/]*AbortSignal\.timeout\(/m.test(text) && !HELD_TIMEOUTS.has(path))
    .map(({ path }) => `${path} uses AbortSignal.timeout(): withTimeLimit of @fossick/outbound holds its timer`);
}

/** Private members use `private`; `#name` behaves differently at run time. Scripts without types have nothing else. */
export function findHashNames(files: readonly CodeFile[]): string[] {
  return files
    .filter(({ path, hasHashNames }) => /\.(tsx?|mts)$/.test(path) && hasHashNames)
    .map(({ path }) => `${path} has members as #name: make them private`);
}

/** Every configuration of the compiler extends the root's and switches none of its checks off. */
export function findLooseConfigs(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /(^|\/)tsconfig(\.\w+)?\.json$/.test(path) && !path.includes('/assembly/'))
    .filter(({ path }) => path !== 'tsconfig.base.json')
    .flatMap(({ path, text }) => [
      ...(/"extends": "[./]+\/tsconfig\.base\.json"/.test(text) ? [] : [`${path} does not extend tsconfig.base.json`]),
      ...[...text.matchAll(/"(strict|no(?!Emit)\w+|exact\w+|erasable\w+)": false/g)].map(
        ([, name]) => `${path} switches ${name} off`,
      ),
    ]);
}

/** Ids have the types of packages/foundation/base/src/ids.ts; a plain number is not an id. */
export function findBareIds(files: readonly CodeFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('packages/') && !isTest(path))
    .flatMap(({ path, bareIds }) => bareIds.map((name) => `${path}: ${name} is a number, not an id of its kind`));
}

/**
 * Casts past the compiler must be in the list that gives their reasons, each once; an entry without a cast is stale.
 */
export function findDoubleCasts(files: readonly SourceFile[], known = DOUBLE_CASTS): string[] {
  const sources = files.filter(({ path }) => packageOf(path) !== undefined && /\/src\/.*\.tsx?$/.test(path));
  const finds: string[] = [];
  for (const { path, text } of sources) {
    const count = text.split('\n').filter((line) => /^[^/*]*\bas unknown as [A-Z({]/.test(line)).length;
    const allowed = known.has(path) ? 1 : 0;
    if (count > allowed)
      finds.push(`${path} casts past the compiler: a type or a guard says it, or packages.ts why not`);
    if (count < allowed) finds.push(`${path} casts no more: take it off the list in packages.ts`);
  }
  return finds;
}

/** Texts of other sources enter errors only in the listed files; no cast makes one of a text of our own. */
export function findForeignTexts(files: readonly SourceFile[], known = FOREIGN_TEXTS): string[] {
  const sources = files.filter(
    ({ path }) =>
      /^(packages|apps)\//.test(path) &&
      isCode(path) &&
      !isTest(path) &&
      !path.startsWith('packages/foundation/base/src/'),
  );
  const finds: string[] = [];
  for (const { path, text } of sources) {
    const isPassing = /\bforeignText\(|\bas ErrorText\b/.test(text);
    if (isPassing && !known.has(path))
      finds.push(`${path} makes a text of an error: see packages/foundation/base/src/messages`);
    if (!isPassing && known.has(path))
      finds.push(`${path} passes on no text any more: take it off the list in packages.ts`);
  }
  return finds;
}

/** Texts of errors are in the error table, with their code; only a message of another program may be passed on. */
export function findLiteralErrors(files: readonly CodeFile[]): string[] {
  return files
    .filter(({ path }) => !isTest(path) && !path.startsWith('packages/foundation/base/src/'))
    .flatMap(({ path, literalErrors }) =>
      literalErrors.map((code) => `${path} spells out the text of ${code}: see packages/foundation/base/src/messages`),
    );
}

/** Each package has the script `test`, of which turbo makes a task. */
export function findUntestedPackages(manifests: ReadonlyMap<string, Manifest>): string[] {
  return [...manifests]
    .filter(([folder, { scripts }]) => {
      const up = '../'.repeat(folder.split('/').length);
      return folder !== '' && scripts?.test !== `node ${up}tools/run/test-package.mjs`;
    })
    .map(([folder]) => `${folder}/package.json has no script test that runs tools/run/test-package.mjs`);
}
