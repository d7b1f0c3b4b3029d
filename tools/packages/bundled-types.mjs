/**
 * Types of a bundle: the declarations reachable from its entry points, of all our packages, copied to one folder with a
 * folder for each package. They import each other by relative paths, because none of the packages is installed next to
 * the bundle.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { packageFolders, rootFolder } from '../run/workspace.mjs';
import { flatTypes } from './flat-types.mjs';
import { manifestOf } from './published.mjs';

/** Packages that no user of a bundle calls: their types are copied without comments, which would take room. */
const UNCALLED = /\/(kernel|tasks|vectors)\/(dist|build)\//;
/** Types that follow from schemas, whose library users of a bundle do not have. */
const COMPUTED = /\/openapi\/answer-types\.d\.ts$/;

/**
 * @param entries declarations to begin with, relative to the root: `apps/server/dist/index.d.ts`
 * @returns where each is in `target`, in the same order. Throws when one needs types of a third-party package.
 */
export function copyTypes(entries, target) {
  const packages = new Map(packageFolders().map((folder) => [manifestOf(folder).name, folder]));
  const seen = new Set();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const text = COMPUTED.test(file) ? flatTypes(join(rootFolder, file)) : textOf(file);
    let copied = '';
    let at = 0;
    for (const { fileName: said, pos } of ts.preProcessFile(text, true, false).importedFiles) {
      if (said.startsWith('node:')) continue;
      const found = declarationOf(said, file, packages);
      waiting.push(found);
      // the quoted name begins here
      const from = text.indexOf(said, pos);
      copied += text.slice(at, from) + pathBetween(placeOf(file), placeOf(found));
      at = from + said.length;
    }
    const copy = join(target, placeOf(file));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, copied + text.slice(at));
  }
  return entries.map(placeOf);
}

function textOf(file) {
  const text = readFileSync(join(rootFolder, file), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');
  return UNCALLED.test(file) ? text.replace(/\/\*\*.*?\*\/\s*/gs, '') : text;
}

function declarationOf(said, from, packages) {
  if (said.startsWith('.')) return join(dirname(from), said.replace(/\.js$/, '.d.ts'));
  const [, name, entry = 'index'] = /^(@fossick\/[^/]+)(?:\/(.+))?$/.exec(said) ?? [];
  if (name === undefined) throw new Error(`${from}: users of the bundle have no types of ${said}`);
  return join(packages.get(name), 'dist', `${entry}.d.ts`);
}

/** `packages/foundation/base/dist/ids.d.ts` is at `base/ids.d.ts`; declarations of other compilers keep their folder `build`. */
function placeOf(file) {
  const [, name, rest] = /([^/]+)\/(?:dist\/)?((?<=dist\/).*|build\/.*)$/.exec(file);
  return join(name, rest);
}

function pathBetween(from, to) {
  const path = relative(dirname(from), to).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}
