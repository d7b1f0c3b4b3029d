import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { packFolder, unpackArchive } from './archive.js';

/** Far longer than the file operations that a refused archive could still have under way. */
const SETTLED_MS = 300;

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('an archive that is cut anywhere is refused when nothing is written any more: its folder may be removed', async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-archive-'));
  const packed = join(folder, 'packed');
  for (let at = 0; at < 12; at++) {
    mkdirSync(join(packed, `folder${at}`), { recursive: true });
    writeFileSync(join(packed, `folder${at}`, 'file'), `content of ${at} `.repeat(at * 9));
  }
  const whole = join(folder, 'whole.tar.gz');
  await packFolder(packed, whole, join(folder, 'partial'));
  const bytes = readFileSync(whole);
  const cut = join(folder, 'cut.tar.gz');
  const unpacked: string[] = [];
  for (let length = 1; length < bytes.length; length += 2) {
    writeFileSync(cut, bytes.subarray(0, length));
    const into = join(folder, `unpacked${length}`);
    unpacked.push(into);
    await expect(unpackArchive(cut, into)).rejects.toThrow(/end of/);
    rmSync(into, { recursive: true, force: true });
  }
  await pause(SETTLED_MS);
  expect(unpacked.filter((one) => existsSync(one))).toEqual([]);

  const into = join(folder, 'complete');
  await unpackArchive(whole, into);
  expect(readFileSync(join(into, 'folder11', 'file'), 'utf8')).toContain('content of 11');
});
