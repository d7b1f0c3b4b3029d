import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Catalogue, type CatalogueEntry } from './open.js';

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
