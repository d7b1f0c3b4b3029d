import { readFile, rename } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { messageWithoutPaths } from './errors.js';

test('errors of the system name files without their folders', async () => {
  const folder = '/no such folder/of "this" machine';
  const missing = await readFile(`${folder}/data.mdb`).catch((error: unknown) => error);
  expect(messageWithoutPaths(missing)).toBe("ENOENT: no such file or directory, open 'data.mdb'");
  const moved = await rename(`${folder}/a`, `${folder}/b`).catch((error: unknown) => error);
  expect(messageWithoutPaths(moved)).toBe("ENOENT: no such file or directory, rename 'a' -> 'b'");
});

test.each([
  ['Too many open files: /srv/data.ms/indexes/1/data.mdb', 'Too many open files: data.mdb'],
  [
    "Cannot find module '/opt/app/dist/x.js' imported from /opt/app/dist/main.js",
    "Cannot find module 'x.js' imported from main.js",
  ],
  ['failed at file:///opt/app/main.js:10:20', 'failed at main.js:10:20'],
  ['open C:\\data\\db\\lock failed', 'open lock failed'],
  ['the folder /srv/data/ is full', 'the folder  is full'],
  [
    'it ended at http://10.0.0.1:7700/indexes/a with 1/2 of km/h',
    'it ended at http://10.0.0.1:7700/indexes/a with 1/2 of km/h',
  ],
  ['either / or', 'either / or'],
  ['MDB_CORRUPTED: Located page was wrong type', 'MDB_CORRUPTED: Located page was wrong type'],
])('%j becomes %j', (message, shown) => {
  expect(messageWithoutPaths(new Error(message))).toBe(shown);
  expect(messageWithoutPaths(message)).toBe(shown);
});
