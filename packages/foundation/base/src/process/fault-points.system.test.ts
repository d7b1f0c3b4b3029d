import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const BUILT_FILE = fileURLToPath(new URL('../../dist/process/fault-points.js', import.meta.url));

/** Runs `code` with the built module; resolves with its output or the signal that ended it. */
function run(faults: string, code: string): Promise<string> {
  const script = `import { faultPoint, isPlanted } from ${JSON.stringify(BUILT_FILE)}; ${code}`;
  return new Promise((resolve) => {
    const env = { ...process.env, FOSSICK_FAULTS: faults };
    execFile(process.execPath, ['--input-type=module', '-e', script], { env }, (error, stdout) =>
      resolve(error?.signal ?? stdout.trim()),
    );
  });
}
const THREE_VISITS =
  "for (const n of [1, 2, 3]) try { faultPoint('rename'); console.log(n); } catch (e) { console.log(e.code); }";

test('a fault comes at its time, once or from then on', async () => {
  expect(await run('', THREE_VISITS)).toBe('1\n2\n3');
  expect(await run('rename=fail:ENOSPC@2', THREE_VISITS)).toBe('1\nENOSPC\n3');
  expect(await run('rename=fail:EIO@2+', THREE_VISITS)).toBe('1\nEIO\nEIO');
  expect(await run('store.commit=kill', THREE_VISITS)).toBe('1\n2\n3');
});
test('a fault may strike one subject only', async () => {
  const visits =
    "for (const n of ['a', 'b', undefined, 'a']) try { faultPoint('rename', n); console.log('ok'); } catch { console.log(n); }";
  expect(await run('rename:a=fail:EIO@2', visits)).toBe('ok\nok\nok\na');
  expect(await run('rename:b=fail:EIO@1+', visits)).toBe('ok\nb\nok\nok');
});
test('a fault strikes one of all threads where a file says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-faults-'));
  const code = `process.env.FOSSICK_FAULTS_ONCE = ${JSON.stringify(join(folder, 'struck'))}; ${THREE_VISITS}`;
  expect(await run('rename=fail:EIO@1', code)).toBe('EIO\n2\n3');
  expect(await run('rename=fail:EIO@1', code)).toBe('1\n2\n3');
  rmSync(folder, { recursive: true });
});
test('a killed process writes nothing more', async () => {
  expect(await run('rename=kill@3', THREE_VISITS)).toBe('SIGKILL');
});
test('an injected bug is active where it was configured, and throws nothing', async () => {
  const look =
    "console.log(isPlanted('receipts.read'), isPlanted('rename')); faultPoint('receipts.read'); console.log('on')";
  expect(await run('', look)).toBe('false false\non');
  expect(await run('receipts.read=bug', look)).toBe('true false\non');
});
