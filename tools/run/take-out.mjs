#!/usr/bin/env node
/**
 * Takes an extension out of a checkout: `node tools/run/take-out.mjs NAME` deletes its folder, a second package of it, and
 * every line that names them outside, so that the rest builds and passes its tests. For who ships without it, and to see that
 * the core stands alone.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from './workspace.mjs';

const [extension = ''] = process.argv.slice(2);
if (!/^[a-z]+$/.test(extension) || !existsSync(join(rootFolder, folderOf(extension))))
  throw new Error(`there is no extension ${extension || 'without a name'}`);

const { dependencies } = JSON.parse(readFileSync(join(rootFolder, folderOf(extension), 'package.json'), 'utf8'));
const second = Object.keys(dependencies)
  .map((dependency) => dependency.replace('@fossick/', ''))
  .filter((name) => existsSync(join(rootFolder, folderOf(name))));
for (const name of [extension, ...second]) takeOut(name, folderOf(name));
console.log(
  `${extension} is gone; npx vitest run --project server apps/server/src/extensions -u writes docs/reference/configuration.md, ` +
    'npx vitest run --project unit tools/limits -u docs/reference/limits.md',
);

/** Deletes a package and the lines that name it. */
function takeOut(name, folder) {
  rmSync(join(rootFolder, folder), { recursive: true });
  rmSync(join(rootFolder, 'node_modules/@fossick', name), { force: true });

  change('apps/server/src/extensions/extension-list.ts', (text) =>
    text.replace(new RegExp(`^import .* from '@fossick/${name}';\\n`, 'm'), '').replace(
      /(readonly Extension\[\] = \[)([^\]]*)\]/,
      (_, start, list) =>
        `${start}${list
          .split(', ')
          .filter((each) => each !== name && each !== '')
          .join(', ')}]`,
    ),
  );
  changeJson('apps/server/package.json', (manifest) => delete manifest.dependencies[`@fossick/${name}`]);
  change('apps/server/tsconfig.json', (text) =>
    text.replace(new RegExp(`,\\n *\\{\\n *"path": "[./]*${folder}"\\n *\\}`), ''),
  );
  changeJson('package-lock.json', ({ packages }) => {
    delete packages['apps/server'].dependencies[`@fossick/${name}`];
    for (const path of Object.keys(packages))
      if (path === `node_modules/@fossick/${name}` || `${path}/`.startsWith(`${folder}/`)) delete packages[path];
  });
  change('tools/tidy/packages.ts', (text) =>
    text
      .replace(new RegExp(`^  '${folder}': \\[[^\\]]*\\],\\n`, 'm'), '')
      .replace(/'apps\/server': \[[^\]]*\]/, (list) => list.replace(`\n    '${name}',`, '')),
  );
  change('packages/extensions/README.md', (text) => withoutLines(text, `](${name})`));
  change('tools/run/long-pieces.mjs', (text) =>
    text.replace(new RegExp(`^ *\\{[^{}]*${folder}[^{}]*\\},\\n`, 'gm'), ''),
  );
  change('docs/internals/tested-guarantees.md', (text) => withoutTests(text, folder));
  // rows of tables and of lists
  for (const file of namingFiles(folder)) change(file, (text) => withoutLines(text, folder));
}

function folderOf(name) {
  return `packages/extensions/${name}`;
}

/** Tracked files that name the folder. */
function namingFiles(folder) {
  const args = ['grep', '-lF', folder, '--', '*.md', '*.mjs', '*.ts'];
  const found = execFileSync('git', args, { cwd: rootFolder, encoding: 'utf8' }).split('\n');
  return found.filter((file) => file !== '' && existsSync(join(rootFolder, file)) && !file.includes('.test.'));
}

/** The tables without the tests of a folder; a row goes with the last of its tests, or when another row has the tests that are left. */
function withoutTests(text, folder) {
  const tests = new RegExp(`(, )?${folder}/[^ ,|:]+((:|,) "[^"]*")*`, 'g');
  return text.replace(/^\|.*\|$/gm, (row) => {
    const rest = row.replace(tests, '').replaceAll('| , ', '| ');
    const left = rest.split(' | ').find((cell) => cell.includes('.test.ts'));
    return left === undefined || (rest !== row && text.includes(` | ${left} | `)) ? row : rest;
  });
}

function withoutLines(text, part) {
  return text
    .split('\n')
    .filter((line) => !line.includes(part))
    .join('\n');
}

function change(file, edit) {
  const path = join(rootFolder, file);
  writeFileSync(path, edit(readFileSync(path, 'utf8')));
}

function changeJson(file, edit) {
  change(file, (text) => {
    const value = JSON.parse(text);
    edit(value);
    return `${JSON.stringify(value, null, 2)}\n`;
  });
}
