import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { storeError } from './store-error.js';

const fault = (code: number | string): Error => Object.assign(new Error('a fault'), { code });
const MDB_BAD_TXN = -30782;

function notAsked(): never {
  throw new Error('the file was looked at');
}

test.each([
  ['a page that is none', -30797, 'invalid_store_file'],
  ['too many open files', 24, 'EMFILE'],
  ['a full disk', 28, 'ENOSPC'],
  ['what is not of LMDB', 'ENOENT', 'ENOENT'],
])('%s is recognised without reading the file', (_, code, reported) => {
  expect(storeError(fault(code), tmpdir(), notAsked)).toMatchObject({ code: reported });
});

test.each([MDB_BAD_TXN, 22, 27])('%d is damage where damage is found, and a fault of ours where none is', (code) => {
  const error = fault(code);
  expect(storeError(error, tmpdir(), () => 'page 7 is in use twice')).toMatchObject({
    code: 'invalid_store_file',
    message: expect.stringContaining('page 7 is in use twice'),
  });
  expect(storeError(error, tmpdir(), () => undefined)).toBe(error);
});

test('what has no code stays what it is', () => {
  const error = new Error('another');
  expect(storeError(error, tmpdir(), notAsked)).toBe(error);
});
