/** Programs in the documentation, which are run as they are. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { ROOT } from './page-blocks.test-support.js';

/** Inside node_modules, so that programs resolve packages as those in the checkout do. */
const PROGRAM_FOLDER = join(ROOT, 'node_modules', '.cache', 'page-programs');

/** Runs it, and compares what it prints with the comments after `console.log(…); // `, to the first `…`. */
export async function runProgram(code: string): Promise<void> {
  mkdirSync(PROGRAM_FOLDER, { recursive: true });
  const file = join(PROGRAM_FOLDER, 'program.mjs');
  writeFileSync(file, code);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: PROGRAM_FOLDER, timeout: 300_000 });
  const promised = [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text = '']) => text.split('…', 1)[0]!);
  expect(promised.length).toBeGreaterThan(0);
  const unspaced = (text: string): string => text.replace(/\s+/g, '');
  for (const text of promised) expect(unspaced(stdout)).toContain(unspaced(text));
}
