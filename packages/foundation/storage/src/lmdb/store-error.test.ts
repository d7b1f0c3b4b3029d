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
  expect(storeError(fault(code), tmpdir(), notAsked, false)).toMatchObject({ code: reported });
});

test.each([MDB_BAD_TXN, 22, 27])('%d is damage where damage is found, and a fault of ours where none is', (code) => {
  const error = fault(code);
  expect(storeError(error, tmpdir(), () => 'page 7 is in use twice', false)).toMatchObject({
    code: 'invalid_store_file',
    message: expect.stringContaining('page 7 is in use twice'),
  });
  expect(storeError(error, tmpdir(), () => undefined, false)).toBe(error);
});

test.each([-30797, -30796])('%d in a write is reported with the damage that the file has', (code) => {
  expect(storeError(fault(code), tmpdir(), () => 'page 7 is in use twice', true)).toMatchObject({
    code: 'invalid_store_file',
    message: expect.stringMatching(/ is damaged: page 7 is in use twice \(a fault\)/),
  });
  expect(storeError(fault(code), tmpdir(), () => undefined, true)).toMatchObject({ code: 'invalid_store_file' });
});

test('what has no code stays what it is', () => {
  const error = new Error('another');
  expect(storeError(error, tmpdir(), notAsked, false)).toBe(error);
});
