import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findDecisionFaults } from './decisions.js';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);

it('decisions have a number of their own and are listed', () => {
  const files = readdirSync(FOLDER).map((name) => ({
    path: `docs/decisions/${name}`,
    text: readFileSync(new URL(name, FOLDER), 'utf8'),
  }));
  expect(files.length).toBeGreaterThan(50);
  expect(findDecisionFaults(files)).toEqual([]);
});

it('a number used twice, a title without number and an unlisted decision are found', () => {
  const list = { path: 'docs/decisions/README.md', text: '| [0001](0001-a.md) | A |\n' };
  const page = (name: string, text: string) => ({ path: `docs/decisions/${name}`, text });
  expect(findDecisionFaults([list, page('0001-a.md', '# 0001: A\n')])).toEqual([]);
  expect(findDecisionFaults([list, page('0001-a.md', '# 0001: A\n'), page('0001-b.md', '# 0001: A\n')])).toHaveLength(
    2,
  );
  expect(findDecisionFaults([list, page('0001-a.md', '# A\n')])).toHaveLength(1);
  expect(findDecisionFaults([list, page('0002-b.md', '# 0002: B\n')])).toHaveLength(1);
});
