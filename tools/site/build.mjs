#!/usr/bin/env node
/**
 * `npm run site`: writes the documentation as a static site, with a search of it that needs no server, and the playground, into
 * a folder for any web space: dist/site unless an argument names another. Needs no network. Throws when a link leads nowhere.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, relative, resolve } from 'node:path';
import { writePlayground } from '../run/playground.mjs';
import { ensureBuilt, ensureInstalled, rootFolder } from '../run/workspace.mjs';
import { brokenLinks } from './links.mjs';
import { extendMarkdown } from './markdown.mjs';
import { pageText, sitePages } from './pages.mjs';
import { writeTexts } from './texts.mjs';

const THEME = 'tools/site/theme';
const INDEX = 'documentation';
/** A heading says more about a section than its text, and the name of the page comes next. */
const SETTINGS = { searchableAttributes: ['heading', 'page', 'text'] };

process.chdir(rootFolder);
await ensureInstalled();
if (process.env.FOSSICK_TEST_BUILT !== '1') await ensureBuilt();
const folder = resolve(process.argv[2] ?? 'dist/site');
rmSync(folder, { recursive: true, force: true });
const sections = await writePages();
writeTexts(folder);
await writeSearch(sections);
// the playground brings the library, which the search box uses too
writePlayground(join(folder, 'playground'));
const broken = brokenLinks(folder);
if (broken.length > 0) throw new Error(`links lead nowhere:\n${broken.join('\n')}`);
console.log(folder);

/** Writes a page for each file; returns their sections as documents. */
async function writePages() {
  const { default: Eleventy } = await import('@11ty/eleventy');
  const pages = sitePages();
  const files = new Set(pages.map(({ file }) => file));
  const groups = groupsOf(pages);
  const documents = [];
  const onSections = ({ title, address }, found) => {
    for (const { heading, id, text } of found)
      documents.push({ id: documents.length, page: title, heading, address: `${address}#${id}`, text });
  };
  const eleventy = new Eleventy(THEME, relative(rootFolder, folder), {
    quietMode: true,
    config(settings) {
      settings.setTemplateFormats('md');
      settings.amendLibrary('md', (markdown) =>
        extendMarkdown(markdown, { isPage: (file) => files.has(file), onSections }),
      );
      settings.addPassthroughCopy({ [`${THEME}/site.css`]: 'site.css', [`${THEME}/search.js`]: 'search.js' });
      settings.addPassthroughCopy({ 'docs/images': 'docs/images', 'apps/dashboard/src/parts/mark.svg': 'mark.svg' });
      for (const { file, address, title } of pages) {
        const root = posix.relative(posix.dirname(address), '.') || '.';
        // some pages show templates as examples: they are only Markdown
        const engine = { layout: 'page.liquid', permalink: address, templateEngineOverride: 'md' };
        settings.addTemplate(file, pageText(file), { ...engine, file, title, address, root, groups });
      }
      settings.setIncludesDirectory('.');
    },
  });
  await eleventy.write();
  return documents;
}

function groupsOf(pages) {
  const names = [...new Set(pages.map(({ group }) => group))];
  return names.map((name) => ({ name, pages: pages.filter(({ group }) => group === name) }));
}

/** Writes the sections as a static index, as a user does it: by the package, then by the command. */
async function writeSearch(documents) {
  const { createEngine } = await import('fossick');
  const path = mkdtempSync(join(tmpdir(), 'fossick-site-'));
  try {
    const engine = await createEngine({ path: join(path, 'data') });
    await engine.index(INDEX).updateSettings(SETTINGS);
    await engine.index(INDEX).add(documents);
    await engine.close();
    const out = join(folder, 'search');
    const args = ['export-static', INDEX, '--db-path', join(path, 'data'), '--out', out];
    execFileSync(process.execPath, ['apps/server/bin/fossick.js', ...args]);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
