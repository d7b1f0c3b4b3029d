import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionError } from '@fossick/instance';
import { afterAll, expect, it } from 'vitest';
import { readTransferWords } from './options.test-support.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-transfer-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** A config file with this text, as an option. */
function inFile(toml: string): string[] {
  writeFileSync(join(folder, 'config.toml'), toml);
  return ['--config-file-path', join(folder, 'config.toml')];
}

it('has folders, and neither an import nor a schedule without options', () => {
  expect(readTransferWords(inFile(''))).toMatchObject({
    dumpFolder: 'dumps/',
    snapshotFolder: 'snapshots/',
    launchImport: null,
    snapshotEverySeconds: null,
  });
});

it.each<[string[], Record<string, string>, number | null]>([
  [['--schedule-snapshot'], {}, 86_400],
  [['--schedule-snapshot', '70'], {}, 70],
  [[], { MEILI_SCHEDULE_SNAPSHOT: '80' }, 80],
  [[], { FOSSICK_SCHEDULE_SNAPSHOT: 'off' }, null],
])('%j and %j: a snapshot every %s seconds', (words, env, seconds) => {
  expect(readTransferWords(words, env).snapshotEverySeconds).toBe(seconds);
});

it.each<[string, () => string[], string]>([
  ['a waiver', () => ['--ignore-missing-dump'], '--ignore-missing-dump needs --import-dump'],
  ['another', () => ['--ignore-snapshot-if-db-exists'], '--ignore-snapshot-if-db-exists needs --import-snapshot'],
  ['two imports', () => ['--import-dump', 'a', '--import-snapshot', 'b'], 'exclude each other'],
  ['snapshots all the time', () => ['--schedule-snapshot', '0'], 'every 0 seconds'],
  ['a word for a number', () => inFile('schedule_snapshot = "daily"'), 'it must be true, false or a number'],
])('%s is refused with its source', (_what, words, said) => {
  expect(() => readTransferWords(words())).toThrow(OptionError);
  expect(() => readTransferWords(words())).toThrow(said);
});

it('a file sets all but imports, which belong to one start', () => {
  const words = inFile('import_dump = "a.dump"\ndump_dir = "elsewhere"\nschedule_snapshot = 90');
  expect(readTransferWords(words)).toMatchObject({
    launchImport: null,
    dumpFolder: 'elsewhere',
    snapshotEverySeconds: 90,
  });
});
