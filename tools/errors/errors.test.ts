import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasExtension } from '../../apps/server/src/e2e/server-process.test-support.js';
import { errorTable } from '../../packages/foundation/base/src/error-table.js';
import { describeError, ERROR_PAGES_URL } from '../../packages/foundation/base/src/errors.js';
import { EXTENSION_WORDS } from '../tidy/extension-words.js';
import { isCode, isTest, readCheckout } from '../tidy/source-file.js';
import { anchorOf, CHAPTERS, makePage } from './page.js';
import { findThrownCodes } from './thrown-codes.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE_FILE = fileURLToPath(new URL('../../docs/reference/errors.md', import.meta.url));
const codes: readonly string[] = [...errorTable.keys()];
const described = CHAPTERS.flatMap(({ table }) => Object.entries(table));

describe('the error table, its page and the sources', () => {
  it('describe the same codes, each once', () => {
    expect(described.map(([code]) => code).sort()).toEqual([...codes].sort());
  });

  it('agree on the page: `npx vitest run tools/errors -u` writes it anew', async () => {
    await expect(makePage()).toMatchFileSnapshot(PAGE_FILE);
  });

  it('agree on the anchors that links lead to', () => {
    const page = makePage();
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
    expect(new Set(headings).size).toBe(headings.length);
    for (const code of codes) {
      expect(headings).toContain(anchorOf(code));
      expect(describeError(code).link).toBe(`${ERROR_PAGES_URL}#${anchorOf(code)}`);
    }
    expect(ERROR_PAGES_URL).toMatch(/\/docs\/reference\/errors\.md$/);
    for (const [, anchor] of page.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(anchor);
  });

  it('say of no code that it is never answered when it is, nor the other way round', () => {
    const sources = readCheckout(ROOT).filter(({ path }) => isThrowing(path));
    const thrown = findThrownCodes(sources, codes);
    expect(thrown.unknown, 'codes in the sources that are not in the table').toEqual([]);
    // a checkout without an extension keeps its codes: the table is one type
    const missing = CHAPTERS.filter(({ extension }) => extension !== undefined && !hasExtension(extension));
    const ofMissing = [...missing.flatMap(({ table }) => Object.keys(table)), ...codesOfMissing()];
    const reserved = described.filter(([, { isReserved }]) => isReserved === true).map(([code]) => code);
    const isThere = (code: string): boolean => !ofMissing.includes(code);
    expect(
      codes.filter((code) => !thrown.known.has(code) && isThere(code)).sort(),
      'codes that nothing throws are `reserved` in tools/errors, the others are not',
    ).toEqual(reserved.filter(isThere).sort());
  });
});

/** Extensions that alone answer a code without their word. */
const ANSWERED_BY = new Map([
  ['remote_could_not_send_request', 'chats'],
  ['remote_too_many_requests', 'chats'],
  ['replica_behind', 'cluster'],
  ['unretrievable_error_code', 'transfer'],
]);

/** Codes with the word of an extension that is not in the checkout. */
function codesOfMissing(): readonly string[] {
  const missing = Object.entries(EXTENSION_WORDS).filter(([name]) => !hasExtension(name));
  return codes.filter((code) => missing.some(([name, { word }]) => word.test(code) || ANSWERED_BY.get(code) === name));
}

function isThrowing(path: string): boolean {
  return (
    /^(packages|apps)\/([^/]+\/){1,2}src\//.test(path) &&
    // errors of libraries in a page have codes of their own, and no client sees them
    !path.startsWith('apps/dashboard/') &&
    isCode(path) &&
    !isTest(path) &&
    !path.includes('/error-table.')
  );
}
