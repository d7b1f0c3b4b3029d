import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const BUILT_FILE = new URL('../../dist/process/optimise-early.js', import.meta.url);

it('this version of Node.js knows every option, and prints no error', () => {
  const program = `import { optimiseForLargeIndexes } from ${JSON.stringify(BUILT_FILE.href)}; optimiseForLargeIndexes();`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
