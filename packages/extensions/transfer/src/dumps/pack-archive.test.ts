import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packArchive, unpackArchive } from './archive.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-archive.'));
  mkdirSync(join(folder, 'in'));
  for (const name of ['a', 'b']) writeFileSync(join(folder, 'in', name), Buffer.alloc(3 << 20, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an archive that is passed on while it is made', () => {
  it('can be unpacked', async () => {
    const chunks: Uint8Array[] = [];
    await packArchive(
      (add) => add(join(folder, 'in'), folder),
      async (archive) => {
        for await (const chunk of archive) chunks.push(chunk);
      },
      0,
    );
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield* chunks;
    }
    await unpackArchive(bytes(), join(folder, 'out'));
    expect(readdirSync(join(folder, 'out', 'in'))).toEqual(['a', 'b']);
  });

  it('ends when its taker has ended, by the error of the taker', async () => {
    let hasEnded = false;
    const packed = packArchive(
      (add) => add(join(folder, 'in'), folder),
      async (archive) => {
        for await (const _ of archive) break;
        // the stream is closed by now
        await pause(50);
        hasEnded = true;
        throw new Error('the store refused it');
      },
    );
    await expect(packed).rejects.toThrow('the store refused it');
    expect(hasEnded).toBe(true);
  });

  it('ends when its filler has ended, by the error of the filler', async () => {
    let hasEnded = false;
    const packed = packArchive(
      async (add) => {
        await add(join(folder, 'in'), folder);
        await pause(50);
        hasEnded = true;
        throw new Error('the copy failed');
      },
      async (archive) => {
        for await (const _ of archive);
      },
    );
    await expect(packed).rejects.toThrow('the copy failed');
    expect(hasEnded).toBe(true);
    const refused = packArchive(
      async (add) => {
        for (let count = 0; count < 3; count++) await add(join(folder, 'in'), folder);
      },
      () => Promise.reject(new Error('refused at once')),
    );
    await expect(refused).rejects.toThrow('refused at once');
  });
});
