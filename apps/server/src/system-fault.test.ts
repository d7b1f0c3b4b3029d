import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemFaultSentence } from './system-fault.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-fault-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'file'), '');
mkdirSync(join(folder, 'folder'));
symlinkSync('gone', join(folder, 'dangling'));
symlinkSync('loop', join(folder, 'loop'));

function faultOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each([
  ['what is missing', 'missing', 'ENOENT', () => readFileSync(join(folder, 'missing'))],
  ['a link that leads nowhere', 'dangling', 'ENOENT', () => readdirSync(join(folder, 'dangling'))],
  ['a link to itself', 'loop', 'ELOOP', () => readFileSync(join(folder, 'loop'))],
  ['a file in the place of a folder', 'file', 'ENOTDIR', () => readdirSync(join(folder, 'file'))],
  ['a file above it', 'file/below', 'ENOTDIR', () => mkdirSync(join(folder, 'file/below'))],
])('%s is told in one sentence, with its path and what to do', (_, name, code, work) => {
  const path = join(folder, name);
  const sentence = systemFaultSentence(faultOf(work));
  expect(sentence).toMatch(/: (bring|move|give|make|free) .*, or name another path$/);
  expect(sentence).toContain(`${path} cannot be used (${code}), `);
});

test.each(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EISDIR'])('%s has its advice', (code) => {
  const fault = Object.assign(new Error(`${code}: refused, open '/x'`), { code, path: '/x' });
  expect(systemFaultSentence(fault)).toMatch(new RegExp(`^/x cannot be used \\(${code}\\), .*, or name another path$`));
});

test('faults without a path keep the first line of their message, and bugs none', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1\nmore'), { code: 'ECONNREFUSED' });
  expect(systemFaultSentence(refused)).toBe('connect ECONNREFUSED 127.0.0.1:1');
  expect(systemFaultSentence(Object.assign(new Error('x'), { code: 'ERR_ASSERTION' }))).toBeUndefined();
  expect(systemFaultSentence(new TypeError('x is not a function'))).toBeUndefined();
  expect(systemFaultSentence('x')).toBeUndefined();
});
