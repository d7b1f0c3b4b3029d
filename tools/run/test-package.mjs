#!/usr/bin/env node
/**
 * The script `test` of each package: runs those tests of `npm test` that are in the folder it is called in. Turbo keeps the
 * result. An argument names another folder.
 */
import { relative, resolve } from 'node:path';
import { runVitest } from './test-results.mjs';
import { rootFolder } from './workspace.mjs';

const folder = resolve(process.argv[2] ?? '.');
const { code } = await runVitest([
  '--project=unit',
  '--project=server',
  '--project=isolated',
  '--passWithNoTests',
  `${relative(rootFolder, folder)}/`,
]);
process.exitCode = code;
