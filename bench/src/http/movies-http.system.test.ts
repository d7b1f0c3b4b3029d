import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('./movies-http.mjs', import.meta.url));
const serverBuild = fileURLToPath(new URL('../../../apps/server/dist/main.js', import.meta.url));
/** `npm test` builds first; a bare vitest run in a fresh checkout has no server to measure. */
const hasServer = existsSync(serverBuild) || process.env.FOSSICK_TEST_BUILT === '1';

it.skipIf(!hasServer)('the HTTP bench runs with small parameters', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--smoke'], { timeout: 55_000 });
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(result.figures).toMatchObject({ load: 'own', documents: 300 });
  expect(result.figures.answersHash).toMatch(/^[0-9a-f]{16}$/);
  expect(result.machine.node).toBe(process.version);
});
