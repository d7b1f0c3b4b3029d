/** Tries a packed package in an empty project, which has it and those of ours that it needs, and nothing else. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newProject } from '../packages/pack.mjs';
import { quietEnvironment, rootFolder } from '../run/workspace.mjs';
import { searchFilms } from './search-films.mjs';

const run = promisify(execFile);
/** Of one program. */
const TIMEOUT_MS = 120_000;
const COMPILER_OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(rootFolder, 'node_modules', '@types')],
};

/** What a packed package was tried for; throws at the first thing that fails. `packed`: all of them, as `packAll` returns them. */
export async function tryPackage(folder, name, packed) {
  await newProject(folder, closure(name, packed));
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
  const done = ['install'];
  const main = manifest.exports?.['.'];
  if (typeof main === 'object') {
    await importIt(folder, name);
    done.push('import');
  }
  if (main?.types !== undefined) {
    await compile(folder, name);
    done.push('types');
  }
  if (manifest.bin !== undefined) {
    // as a new user does
    await searchFilms('npx --offline fossick', folder, quietEnvironment);
    if (!existsSync(join(folder, 'data.fossick'))) throw new Error('the server did not write to data.fossick');
    done.push('npx fossick --sample');
  }
  return done;
}

/** The package and those of ours that it depends on, by the manifests in the packs. */
function closure(name, packed) {
  const wanted = new Set([name]);
  for (const each of wanted) {
    const { dependencies = {}, optionalDependencies = {} } = packed.find((one) => one.name === each).manifest;
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies }))
      if (packed.some((one) => one.name === other)) wanted.add(other);
  }
  return packed.filter((one) => wanted.has(one.name));
}

async function importIt(folder, name) {
  const program = `const all = await import('${name}'); if (Object.keys(all).length === 0) throw new Error('exports nothing');`;
  writeFileSync(join(folder, 'imports.mjs'), program);
  await run(process.execPath, ['imports.mjs'], { cwd: folder, timeout: TIMEOUT_MS });
}

async function compile(folder, name) {
  writeFileSync(join(folder, 'types.ts'), `import * as all from '${name}';\nconsole.log(Object.keys(all));\n`);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['types.ts'] }),
  );
  const tsc = join(rootFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', '.'], { cwd: folder, timeout: TIMEOUT_MS }).catch((error) => {
    throw new Error(`the types of ${name} do not compile:\n${error.stdout}`);
  });
}
