import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findDecisionFaults, NUMBERS_MAX, PAGES_MAX } from './decisions.js';

const FOLDER = new URL('../../docs/internals/decisions/', import.meta.url);
const page = (name: string, text: string) => ({ path: `docs/internals/decisions/${name}`, text });
const listed = (...names: string[]) =>
  page('README.md', `| [A](a.md) | Question |\n${names.map((name) => `| [A](${name}.md) | Question |\n`).join('')}`);

it('pages about decisions are few and listed', () => {
  const files = readdirSync(FOLDER).map((name) => page(name, readFileSync(new URL(name, FOLDER), 'utf8')));
  expect(files.length).toBeGreaterThan(10);
  expect(findDecisionFaults(files)).toEqual([]);
});

it('a page about a decision that is unlisted, listed twice, without title or with a number in its name is found', () => {
  const title = '# A\n';
  expect(findDecisionFaults([listed(), page('a.md', title)])).toEqual([]);
  expect(findDecisionFaults([listed(), page('a.md', title), page('b.md', title)])).toEqual([
    'docs/internals/decisions/b.md is not in docs/internals/decisions/README.md by its title',
  ]);
  expect(findDecisionFaults([listed('a'), page('a.md', title)])).toEqual([
    'docs/internals/decisions/README.md names docs/internals/decisions/a.md more than once',
  ]);
  expect(findDecisionFaults([listed('b'), page('a.md', title)])).toEqual([
    'docs/internals/decisions/README.md names b.md, which is not there',
  ]);
  expect(findDecisionFaults([listed(), page('a.md', 'A\n')])).toEqual([
    'docs/internals/decisions/a.md does not begin with a title',
  ]);
  expect(findDecisionFaults([listed(), page('a.md', title), page('0071-b.md', title)])).toEqual([
    'docs/internals/decisions/0071-b.md is not named by letters and hyphens',
  ]);
});

it('a page about a decision with too many numbers, and too many pages, are found', () => {
  const filled = (word: string, count: number) => page('a.md', `# A\n\n${`${word} `.repeat(count)}\n`);
  expect(findDecisionFaults([listed(), filled('1,024.5 `2` [b](3.html) SHA-256', NUMBERS_MAX)])).toEqual([]);
  expect(findDecisionFaults([listed(), filled('7', NUMBERS_MAX + 1)])).toEqual([
    `docs/internals/decisions/a.md has ${NUMBERS_MAX + 1} numbers, more than ${NUMBERS_MAX}`,
  ]);
  const names = Array.from({ length: PAGES_MAX }, (_, at) => `b${'b'.repeat(at)}`);
  const pages = names.map((name) => page(`${name}.md`, '# A\n'));
  expect(findDecisionFaults([listed(...names), page('a.md', '# A\n'), ...pages])).toEqual([
    `docs/internals/decisions/ has ${PAGES_MAX + 1} pages, more than ${PAGES_MAX}`,
  ]);
});
