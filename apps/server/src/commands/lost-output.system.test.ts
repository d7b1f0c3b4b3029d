import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { BIN_FILE } from '../e2e/server-command.test-support.js';
import { isBuilt } from '../reliability/launch.test-support.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-output-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** The code that a command ends with, its output taken by the end of a line of the shell, and what it says of faults. */
async function ending(words: string, output: string): Promise<{ readonly code: number; readonly said: string }> {
  const line = `'${process.execPath}' '${BIN_FILE}' ${words} ${output}; echo "code \${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', line], { cwd: folder });
  return { code: Number(/^code (\d+)$/m.exec(stdout)?.[1]), said: stderr };
}

describe.skipIf(!isBuilt)('the output of a command', () => {
  test.each([
    ['--help', 0],
    ['--version', 0],
    ['move --help', 0],
    ['--no-such-option 2>&1', 2],
    ['check --db-path none 2>&1', 1],
    ['relevance none.json --url http://127.0.0.1:9 2>&1', 1],
  ])('whose reader has left changes nothing: %s', async (words, code) =>
    expect(await ending(words, '| true')).toEqual({ code, said: '' }));

  test.skipIf(!existsSync('/dev/full'))('that the disk does not take is a failure', async () => {
    expect((await ending('--help', '> /dev/full')).code).toBe(1);
    expect((await ending('--no-such-option', '2> /dev/full')).code).toBe(2);
  });
});
