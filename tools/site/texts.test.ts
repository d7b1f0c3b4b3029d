import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { sitePages } from './pages.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { textAddress, writeTexts } from './texts.mjs';

interface Page {
  readonly file: string;
  readonly address: string;
  readonly title: string;
  readonly group: string;
}
const folder = mkdtempSync(join(tmpdir(), 'fossick-texts-'));
const pages = sitePages() as readonly Page[];
let list: string;
beforeAll(() => {
  writeTexts(folder);
  list = readFileSync(join(folder, 'llms.txt'), 'utf8');
});
afterAll(() => rmSync(folder, { recursive: true }));

test('`llms.txt` has a title, a summary, and a link to the Markdown of each page, by groups', () => {
  expect(list).toMatch(/^# Fossick\n\n> .+\n\n## /);
  for (const { title, address, group } of pages) {
    expect(list).toContain(`- [${title}](${textAddress(address)})`);
    expect(list).toContain(`\n## ${group}\n`);
    expect(existsSync(join(folder, textAddress(address)))).toBe(true);
  }
  expect(list.length).toBeLessThan(100_000);
});

test('links of the texts lead to texts that are there, or out of the site', () => {
  let count = 0;
  for (const { address } of pages) {
    const file = join(folder, textAddress(address));
    const text = readFileSync(file, 'utf8').replace(/```[\s\S]*?```|`[^`\n]*`/g, '');
    for (const [, href] of text.matchAll(/\]\(([^()\s]+)/g)) {
      if (/^([a-z]+:|#)/i.test(href!) || /\.(webp|png|svg)$/.test(href!)) continue;
      count += 1;
      expect(existsSync(join(dirname(file), decodeURI(href!.replace(/[?#].*$/, '')))), `${address}: ${href}`).toBe(
        true,
      );
      expect(href).not.toMatch(/\.html/);
    }
  }
  expect(count).toBeGreaterThan(100);
});

test('code keeps its addresses', () => {
  const page = pages.find(({ file }) => file === 'docs/reference/mcp.md')!;
  expect(readFileSync(join(folder, textAddress(page.address)), 'utf8')).toContain('"url": "http://127.0.0.1:7700/mcp"');
});
