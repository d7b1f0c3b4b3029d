import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { storeError } from './store-error.js';

const fault = (code: number | string): Error => Object.assign(new Error('a fault'), { code });

test.each([
  ['a page that is none', -30797, 'invalid_store_file'],
  ['a transaction that a wrong list of free pages has spoilt', -30782, 'invalid_store_file'],
  ['too many open files', 24, 'EMFILE'],
  ['a full disk', 28, 'ENOSPC'],
  ['what is not of LMDB', 'ENOENT', 'ENOENT'],
])('%s is told', (_, code, told) => {
  expect(storeError(fault(code), tmpdir())).toMatchObject({ code: told });
});

test('what has no code stays what it is', () => {
  const error = new Error('another');
  expect(storeError(error, tmpdir())).toBe(error);
});
