import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findFileCircles, findFolderCircles, findLayerBreaks } from './circles.js';
import { findExtensionWords } from './extension-words.js';
import {
  findThinEdges,
  LAYERS_MAX,
  longestPath,
  PACKAGES_MAX,
  type PackageEdge,
  packageEdges,
} from './package-graph.js';
import { ALLOWED_IMPORTS, EXTENSIONS_GROUP, GROUPS } from './packages.js';
import {
  findBareIds,
  findDeadLinks,
  findDefaultExports,
  findDoubleCasts,
  findEmptyNames,
  findForbiddenPackageImports,
  findForeignTexts,
  findHashNames,
  findImpurity,
  findLiteralErrors,
  findLongFiles,
  findLongParameterLists,
  findLooseConfigs,
  findLooseTimeLimits,
  findMachinePaths,
  findMisplacedImports,
  findMisplacedWasm,
  findUndeclaredImports,
  findUntestedPackages,
  findUnusedDependencies,
  findUpwardImports,
  type Manifest,
  parseCode,
} from './rules.js';
import { readCheckout } from './source-file.js';

const rootFolder = fileURLToPath(new URL('../..', import.meta.url));

describe('the checkout is tidy', () => {
  const files = readCheckout(rootFolder);
  const code = parseCode(files);
  const manifests = new Map<string, Manifest>();
  for (const folder of ['', ...Object.keys(ALLOWED_IMPORTS)]) {
    const file = join(rootFolder, folder, 'package.json');
    if (existsSync(file)) manifests.set(folder, JSON.parse(readFileSync(file, 'utf8')));
  }

  it('sees the checkout', () => expect(code.length).toBeGreaterThan(10));
  it('every package has a manifest', () =>
    expect([...manifests.keys()]).toEqual(['', ...Object.keys(ALLOWED_IMPORTS)]));
  it('packages import only their neighbours', () => expect(findForbiddenPackageImports(code)).toEqual([]));
  it('packages import no later group', () => expect(findUpwardImports(ALLOWED_IMPORTS)).toEqual([]));
  it('the core names no extension', () => expect(findExtensionWords(files)).toEqual([]));
  it('packages are few', () => {
    const groups = GROUPS.filter((group) => group !== EXTENSIONS_GROUP);
    const inGroups = Object.keys(ALLOWED_IMPORTS).filter((folder) => groups.some((group) => folder.startsWith(group)));
    expect(inGroups.length).toBeLessThanOrEqual(PACKAGES_MAX);
  });
  it('packages are in few layers', () => {
    const path = longestPath(packageEdges(code));
    expect(path.slice(LAYERS_MAX), path.join(' > ')).toEqual([]);
  });
  it('a package uses several names of another', () => expect(findThinEdges(packageEdges(code))).toEqual([]));
  it('no files import each other', () => expect(findFileCircles(code)).toEqual([]));
  it('no folders of a package import each other', () => expect(findFolderCircles(code)).toEqual([]));
  it('folders in layers import only earlier layers', () => expect(findLayerBreaks(code)).toEqual([]));
  it('lmdb, fastify and pg are imported by one folder each', () => expect(findMisplacedImports(code)).toEqual([]));
  it('WebAssembly is the kernel host code’s', () => expect(findMisplacedWasm(code)).toEqual([]));
  it('tokenizer, filter and kernel are pure', () => expect(findImpurity(code)).toEqual([]));
  it('imports are declared', () => expect(findUndeclaredImports(code, manifests)).toEqual([]));
  it('dependencies are used', () => expect(findUnusedDependencies(files, manifests)).toEqual([]));
  it('each package has a task that tests it', () => expect(findUntestedPackages(manifests)).toEqual([]));
  it('files are short', () => expect(findLongFiles(files)).toEqual([]));
  it('lists of parameters are short', () => expect(findLongParameterLists(code)).toEqual([]));
  it('ids say what they are ids of', () => expect(findBareIds(code)).toEqual([]));
  it('the compiler is as strict everywhere', () => expect(findLooseConfigs(files)).toEqual([]));
  it('time limits are held while they run', () => expect(findLooseTimeLimits(files)).toEqual([]));
  it('members are hidden in one way', () => expect(findHashNames(code)).toEqual([]));
  it('casts past the compiler have reasons', () => expect(findDoubleCasts(files)).toEqual([]));
  it('texts of errors are in their table', () => expect(findLiteralErrors(code)).toEqual([]));
  it('errors pass on texts of others at known places', () => expect(findForeignTexts(files)).toEqual([]));
  it('names say something', () => expect(findEmptyNames(files)).toEqual([]));
  it('exports have names', () => expect(findDefaultExports(code)).toEqual([]));
  it('no file names a machine', () => expect(findMachinePaths(files)).toEqual([]));
  it('links lead somewhere', () => {
    expect(findDeadLinks(files, (path) => existsSync(join(rootFolder, path)))).toEqual([]);
  });
});

describe('the rules find what they forbid', () => {
  const parsed = (path: string, text: string) => parseCode([{ path, text }]);

  it('a package that knows too much', () => {
    expect(
      findForbiddenPackageImports(parsed('packages/engine/index/src/a.ts', `import '@fossick/tasks';`)),
    ).toHaveLength(1);
    expect(
      findForbiddenPackageImports(parsed('packages/engine/index/src/a.ts', `export * from '../../base/src/b.js';`)),
    ).toHaveLength(1);
    expect(
      findForbiddenPackageImports(parsed('packages/engine/index/src/a.ts', `import { x } from '@fossick/base';`)),
    ).toEqual([]);
    expect(
      findForbiddenPackageImports(
        parsed('packages/foundation/base/src/a.ts', `const x = await import('@fossick/filter');`),
      ),
    ).toHaveLength(1);
  });

  it('an import of a later group', () => {
    const find = (targets: readonly string[]) =>
      findUpwardImports({ 'packages/foundation/a': targets, 'packages/foundation/b': [], 'packages/engine/c': ['a'] });
    expect(find(['b'])).toEqual([]);
    expect(find(['c'])).toHaveLength(1);
  });

  it('a core that knows an extension', () => {
    const words = {
      word: /ledger/i,
      others: new Map([['ledger-paper', 'a colour']]),
      files: new Map([['apps/server/src/b.ts', 'why']]),
    };
    const find = (path: string, text: string) => findExtensionWords([{ path, text }], { ledger: words });
    const unneeded = expect.stringContaining('take it off');
    expect(find('packages/service/api/src/a.ts', 'a\nconst openLedger = 1;')).toEqual([
      expect.stringContaining('openLedger'),
      unneeded,
    ]);
    expect(find('packages/service/api/src/a.ts', 'the ledger-paper of a ledger')).toHaveLength(2);
    expect(find('packages/service/api/src/a.ts', 'the ledger-paper')).toEqual([unneeded]);
    for (const path of [
      'packages/service/api/src/a.test.ts',
      'packages/extensions/ledger/src/a.ts',
      'apps/server/src/extensions/extension-list.ts',
    ])
      expect(find(path, 'ledger')).toEqual([unneeded]);
    expect(find('apps/server/src/b.ts', 'ledger')).toEqual([]);
  });

  it('tests of extensions start the server, and nothing else of them knows it', () => {
    const text = `import '@fossick/server/e2e/test-server.test-support';`;
    const find = (path: string) => findForbiddenPackageImports(parsed(path, text));
    expect(find('packages/service/api/src/a.test.ts')).toHaveLength(1);
    const folder = Object.keys(ALLOWED_IMPORTS).find((one) => one.startsWith(EXTENSIONS_GROUP));
    if (folder === undefined) return;
    expect(find(`${folder}/src/a.test.ts`)).toEqual([]);
    expect(find(`${folder}/src/a.ts`)).toHaveLength(1);
  });

  it('edges of few names, and long paths of packages', () => {
    const edge = (from: string, to: string, ...names: string[]): PackageEdge => ({ from, to, names: new Set(names) });
    const known = new Map([['api -> search', 'why']]);
    expect(findThinEdges([edge('api', 'search', 'a', 'b')], new Map())).toHaveLength(1);
    expect(findThinEdges([edge('api', 'search', 'a', 'b')], known)).toEqual([]);
    expect(findThinEdges([edge('api', 'search', 'a', 'b', 'c')], known)).toHaveLength(1);
    expect(findThinEdges([edge('api', 'base', 'a')], new Map())).toEqual([]);
    expect(longestPath([edge('c', 'a'), edge('b', 'a'), edge('c', 'b'), edge('d', 'a')])).toEqual(['c', 'b', 'a']);
    const text = `import { type A, b as c } from '@fossick/search'; const { d: e } = await import('@fossick/search/x');
      (await import('@fossick/search')).f(); export { g } from '@fossick/search'; import * as h from '@fossick/format';
      import { i } from './i.js'; import { j } from '@fossick/api/y';`;
    const edges = packageEdges(parsed('packages/service/api/src/a.ts', text));
    expect(edges.map(({ from, to, names }) => [from, to, [...names].join()])).toEqual([
      ['api', 'search', 'A,b,d,f,g'],
      ['api', 'format', '*'],
    ]);
    expect(packageEdges(parsed('packages/service/api/src/a.test.ts', text))).toEqual([]);
  });

  it('circles of files and of folders, and packages that are too large', () => {
    const files = (texts: Readonly<Record<string, string>>) =>
      parseCode(Object.entries(texts).map(([path, text]) => ({ path, text })));
    const circle = files({
      'packages/foundation/base/src/a/x.ts': `import type { Y } from '../b/y.js';`,
      'packages/foundation/base/src/b/y.ts': `export * from '../c.js';`,
      'packages/foundation/base/src/c.ts': `import { x } from './a/x.js';`,
    });
    expect(findFileCircles(circle)).toHaveLength(1);
    expect(findFolderCircles(circle)).toHaveLength(1);
    const folders = files({
      'packages/foundation/base/src/a/x.ts': `import { y } from '../b/y.js';`,
      'packages/foundation/base/src/b/z.ts': `import { w } from '../a/w.js';`,
      'packages/foundation/base/src/a/w.ts': '',
      'packages/foundation/base/src/b/y.ts': '',
      'packages/foundation/base/src/index.ts': `export * from './a/x.js'; export * from './b/z.js';`,
    });
    expect(findFileCircles(folders)).toEqual([]);
    expect(findFolderCircles(folders)).toHaveLength(1);
  });

  it('imports against the layers of folders', () => {
    const find = (texts: Readonly<Record<string, string>>) =>
      findLayerBreaks(
        parseCode(Object.entries(texts).map(([path, text]) => ({ path: `apps/dashboard/src/${path}`, text }))),
      );
    const views = { 'views/a/x.ts': '', 'views/b/y.ts': '', 'parts/p.ts': '', 'api/c.ts': '' };
    expect(find({ ...views, 'views/a/x.ts': `import '../b/y.js';` })).toHaveLength(1);
    expect(find({ ...views, 'api/c.ts': `const x = await import('../parts/p.js');` })).toHaveLength(1);
    expect(find({ 'elsewhere/e.ts': '' })).toHaveLength(1);
    const allowed = { 'views/a/x.ts': `import '../../parts/p.js';`, 'main.ts': `import './views/a/x.js';` };
    expect(find({ ...views, ...allowed })).toEqual([]);
  });

  it('lmdb, fastify and the client of S3 out of place', () => {
    expect(
      findMisplacedImports(parsed('packages/foundation/storage/src/memory/a.ts', `import { open } from 'lmdb';`)),
    ).toHaveLength(1);
    expect(
      findMisplacedImports(parsed('packages/foundation/storage/src/lmdb/a.ts', `import { open } from 'lmdb';`)),
    ).toEqual([]);
    expect(
      findMisplacedImports(parsed('packages/engine/index/src/a.ts', `import type { X } from 'fastify';`)),
    ).toHaveLength(1);
    expect(
      findMisplacedImports(parsed('packages/foundation/objects/src/a.ts', `import '@aws-sdk/client-s3';`)),
    ).toHaveLength(1);
    expect(
      findMisplacedImports(parsed('packages/foundation/objects/src/s3/a.ts', `import '@aws-sdk/client-s3';`)),
    ).toEqual([]);
    const engine = `import '@fossick/index/writer';`;
    expect(findMisplacedImports(parsed('packages/service/tasks/src/log/a.ts', engine))).toHaveLength(1);
    expect(findMisplacedImports(parsed('packages/service/tasks/src/execution/a.ts', engine))).toEqual([]);
  });

  it('a long list of parameters', () => {
    const wide =
      'class A { private b(c, d, e, f, g, h) {} constructor(c, d, e, f, g, h, i) {} } const j = (a, b, c, d, e, f) => 1;';
    const finds = findLongParameterLists(parsed('packages/foundation/base/src/a.ts', wide));
    expect(finds.sort()).toEqual([
      expect.stringContaining('a.ts A has 7'),
      expect.stringContaining('a.ts b has 6'),
      expect.stringContaining('a.ts j has 6'),
    ]);
  });

  it('casts past the compiler in code, not in comments', () => {
    const path = 'packages/foundation/base/src/a.test.ts';
    const find = (text: string, known: ReadonlyMap<string, string>) => findDoubleCasts([{ path, text }], known);
    const none = new Map<string, string>();
    expect(find('const a = b as unknown as C;\n// c as unknown as E\n', none)).toHaveLength(1);
    expect(find('// c as unknown as E\n', none)).toEqual([]);
    expect(find('const a = b as unknown as C;\n', new Map([[path, 'why']]))).toEqual([]);
    expect(find('const a = b as C;\n', new Map([[path, 'why']]))).toHaveLength(1);
  });

  it('texts of errors outside of their table', () => {
    const find = (text: string) => findLiteralErrors(parsed('packages/engine/index/src/a.ts', text));
    expect(find("throw new ApiError('internal', 'It broke.');")).toHaveLength(1);
    expect(find('throw new ApiError(code, `Index \\`${uid}\\` broke.`);')).toHaveLength(1);
    expect(find("throw new ApiError(error.code, isShort ? error.message : 'too long');")).toHaveLength(1);
    expect(find("throw new ApiError(error.code, error.message); throw apiError('internal', 'a');")).toEqual([]);
    expect(find('throw new ApiError(code, `${place}${message}`);')).toEqual([]);
    expect(find("throw new ApiError(code, foreignText('It broke.'));")).toHaveLength(1);
    expect(find('throw new ApiError(code, foreignText(error.message));')).toEqual([]);
    const passed = (path: string, text: string) =>
      findForeignTexts([{ path, text }], new Map([['packages/a/src/a.ts', '']]));
    expect(passed('packages/a/src/a.ts', 'foreignText(error.message)')).toEqual([]);
    expect(passed('packages/a/src/a.ts', 'error.message')).toHaveLength(1);
    expect(passed('packages/a/src/b.ts', 'foreignText(error.message)')).toHaveLength(1);
    expect(passed('packages/a/src/b.ts', 'text as ErrorText')).toHaveLength(1);
  });

  it('configurations of the compiler that are looser', () => {
    const find = (text: string) => findLooseConfigs([{ path: 'packages/foundation/base/tsconfig.json', text }]);
    expect(find('{ "extends": "../../tsconfig.base.json", "compilerOptions": { "noEmit": true } }')).toEqual([]);
    expect(
      find('{ "extends": "../../tsconfig.base.json", "compilerOptions": { "noUnusedLocals": false } }'),
    ).toHaveLength(1);
    expect(find('{ "compilerOptions": {} }')).toHaveLength(1);
  });

  it('time limits that a collection ends', () => {
    const find = (text: string) => findLooseTimeLimits([{ path: 'packages/foundation/base/src/a.ts', text }]);
    expect(find('const all = AbortSignal.any([AbortSignal.timeout(5), other]);')).toHaveLength(1);
    expect(find('// AbortSignal.timeout() is collected\nconst all = AbortSignal.any([over, other]);')).toEqual([]);
  });

  it('ids that are plain numbers', () => {
    const find = (text: string) => findBareIds(parsed('packages/engine/index/src/a.ts', text));
    expect(find('function f(docId: number, fieldIds?: readonly number[]): void {}')).toHaveLength(2);
    expect(
      find('interface A { readonly nextSegmentId: number; docIdOf(name: string): number | undefined }'),
    ).toHaveLength(2);
    expect(find('const isDeleted = (docId: DocId): boolean => true; let docIdBound: number;')).toEqual([]);
    expect(find('class A { private readonly docIds = new Set<number>(); docIdOf(): DocId {} }')).toEqual([]);
    expect(findBareIds(parsed('packages/engine/index/src/a.test.ts', 'const docId: number = 1;'))).toEqual([]);
  });

  it('members as #name', () => {
    expect(findHashNames(parsed('packages/foundation/base/src/a.ts', 'class A { #b = 1; }'))).toHaveLength(1);
    expect(findHashNames(parsed('apps/dashboard/src/a.tsx', 'class A { #b = 1; }'))).toHaveLength(1);
    expect(findHashNames(parsed('packages/foundation/base/src/a.ts', "const color = '#b';"))).toEqual([]);
  });

  it('WebAssembly in code, not in comments', () => {
    expect(
      findMisplacedWasm(parsed('packages/engine/index/src/a.ts', 'new WebAssembly.Memory({ initial: 1 });')),
    ).toHaveLength(1);
    expect(findMisplacedWasm(parsed('packages/engine/index/src/a.ts', '// WebAssembly\nexport {};'))).toEqual([]);
  });

  it('clocks and files in pure packages', () => {
    expect(findImpurity(parsed('packages/foundation/filter/src/a.ts', 'export const x = Date.now();'))).toHaveLength(1);
    expect(findImpurity(parsed('packages/foundation/tokenizer/src/a.ts', `import 'node:fs';`))).toHaveLength(1);
    expect(findImpurity(parsed('packages/foundation/kernel/src/a.ts', `new Date('2000-01-01');`))).toEqual([]);
    const look = `import { builtIn } from '@fossick/base'; builtIn('node:fs');`;
    expect(findImpurity(parsed('packages/foundation/kernel/src/a.ts', look))).toHaveLength(1);
    const reader = 'packages/foundation/tokenizer/src/dictionaries/package-file.ts';
    expect(findImpurity(parsed(reader, look))).toEqual([]);
    expect(findImpurity(parsed(reader, `import 'node:net';`))).toHaveLength(1);
  });

  it('imports nobody declared', () => {
    const manifests = new Map<string, Manifest>([
      ['', { devDependencies: { vitest: '4' } }],
      ['packages/foundation/base', { dependencies: { msgpackr: '1' } }],
    ]);
    const find = (path: string, text: string) => findUndeclaredImports(parsed(path, text), manifests);
    expect(find('packages/foundation/base/src/a.ts', `import 'msgpackr'; import 'node:fs';`)).toEqual([]);
    expect(find('packages/foundation/base/src/a.ts', `import 'vitest';`)).toHaveLength(1);
    expect(find('packages/foundation/base/src/a.test.ts', `import 'vitest';`)).toEqual([]);
    expect(find('packages/foundation/base/src/a.ts', `import '@scope/other/deep';`)[0]).toContain('@scope/other,');
  });

  it('dependencies that nothing names', () => {
    const manifests = new Map<string, Manifest>([
      ['packages/foundation/base', { dependencies: { a: '1', '@b/c': '1', d: '1' } }],
    ]);
    const files = [
      { path: 'packages/foundation/base/src/x.ts', text: `import { y } from 'a/deep'; require('@b/c');` },
      { path: 'packages/foundation/base/src/x.test.ts', text: `import 'd';` },
    ];
    expect(findUnusedDependencies(files, manifests)).toEqual([
      'packages/foundation/base/package.json declares d, which nothing in it names',
    ]);
  });

  it('a package without a script test', () => {
    const find = (test: string) => findUntestedPackages(new Map([['packages/foundation/a', { scripts: { test } }]]));
    expect(find('node ../../../tools/run/test-package.mjs')).toEqual([]);
    expect(find('vitest run')).toHaveLength(1);
    expect(findUntestedPackages(new Map([['bench', {}]]))).toHaveLength(1);
  });

  it('length, names, defaults, machines and links', () => {
    expect(findLongFiles([{ path: 'packages/foundation/base/src/a.ts', text: 'x\n'.repeat(401) }])).toHaveLength(1);
    expect(findLongFiles([{ path: 'packages/foundation/base/src/a.ts', text: 'x\n'.repeat(400) }])).toEqual([]);
    expect(findEmptyNames([{ path: 'packages/foundation/base/src/utils.ts', text: '' }])).toHaveLength(1);
    expect(findDefaultExports(parsed('packages/foundation/base/src/a.ts', 'export default 1;'))).toHaveLength(1);
    expect(
      findDefaultExports(parsed('packages/foundation/base/src/a.ts', 'export default function a() {}')),
    ).toHaveLength(1);
    expect(findMachinePaths([{ path: 'a.md', text: `see ${['', 'home', 'ann'].join('/')}/x` }])).toHaveLength(1);
    expect(findDeadLinks([{ path: 'docs/a.md', text: '[b](b.md) [c](https://c.d)' }], () => false)).toHaveLength(1);
  });
});
