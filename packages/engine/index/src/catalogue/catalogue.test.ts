import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Catalogue } from './catalogue.js';
import type { CatalogueEntry } from './catalogue-entry.js';

const folders: string[] = [];
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

const entryOf = (folder: string): CatalogueEntry => ({
  folder,
  primaryKey: null,
  createdAt: 'then',
  updatedAt: 'then',
});

test('a row is read again when somebody has committed, and not before', async () => {
  const rootFolder = mkdtempSync(join(tmpdir(), 'fossick-catalogue.'));
  folders.push(rootFolder);
  const [writing, reading] = [new Catalogue({ rootFolder }), new Catalogue({ rootFolder })];
  expect(reading.entry('films')).toBeUndefined();
  writing.change((rows) => rows.put('films', entryOf('one')));
  const first = reading.entry('films');
  expect(first).toEqual(entryOf('one'));
  expect(reading.entry('films')).toBe(first);
  // another row: this one is what it was
  writing.change((rows) => rows.put('books', entryOf('two')));
  expect(reading.entry('films')).toBe(first);
  writing.change((rows) => rows.put('films', entryOf('three')));
  expect(reading.entry('films')?.folder).toBe('three');
  writing.change((rows) => rows.delete('films'));
  expect(reading.entry('films')).toBeUndefined();
  writing.change((rows) => rows.put('films', entryOf('four')));
  expect(reading.entry('films')?.folder).toBe('four');
  await Promise.all([writing.close(), reading.close()]);
});

test('a folder that another thread has removed is no error, and leaves nothing', () => {
  const rootFolder = mkdtempSync(join(tmpdir(), 'fossick-catalogue.'));
  folders.push(rootFolder);
  const catalogue = new Catalogue({ rootFolder });
  mkdirSync(catalogue.path('one'), { recursive: true });
  // the first is renamed and not yet gone, as between two steps of another removal
  renameSync(catalogue.path('one'), `${catalogue.path('one')}.removed`);
  catalogue.remove('one');
  catalogue.remove('one');
  expect(readdirSync(join(rootFolder, 'indexes'))).toEqual([]);
});

test('an index that is replaced between reading its row and its file is read under its current name', async () => {
  const rootFolder = mkdtempSync(join(tmpdir(), 'fossick-catalogue.'));
  folders.push(rootFolder);
  const writing = new Catalogue({ rootFolder });
  const users = { isInUse: () => false, onClose: () => undefined, mayCreate: false };
  const reading = new Catalogue({ rootFolder }, users);
  for (const folder of ['one', 'two'])
    writing.store(folder).transaction((rows) => rows.put('t', Buffer.of(1), Buffer.of(1)));
  writing.change((rows) => rows.put('films', entryOf('one')));
  const looked: string[] = [];
  const read = (then: () => void): Uint8Array | undefined =>
    reading.reading('films', ({ folder }) => {
      looked.push(folder);
      if (looked.length === 1) then();
      return reading.store(folder).table('t').get(Buffer.of(1));
    });
  const goes = async (folder: string): Promise<void> => {
    await writing.forget(folder);
    writing.remove(folder);
  };
  await writing.forget('one');
  const found = read(() => {
    writing.change((rows) => rows.put('films', entryOf('two')));
    writing.remove('one');
  });
  expect([found?.[0], looked]).toEqual([1, ['one', 'two']]);
  await reading.forget('two');
  await goes('two');
  // the row still says so: that is damage, and told as such; nothing is made in its place
  expect(() => read(() => {})).toThrow(expect.objectContaining({ code: 'invalid_store_file' }));
  expect(existsSync(reading.path('two'))).toBe(false);
  looked.length = 0;
  expect(() => read(() => writing.change((rows) => rows.delete('films')))).toThrow(
    expect.objectContaining({ code: 'index_not_found' }),
  );
  await Promise.all([writing.close(), reading.close()]);
});
