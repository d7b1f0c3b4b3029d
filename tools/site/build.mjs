#!/usr/bin/env node
/**
 * `npm run site`: writes the documentation as a static site, with a search of it that needs no server, and the playground, into
 * a folder for any web space: dist/site unless an argument names another. Needs no network. Throws when a link leads nowhere.
 */
import { rmSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import { writePlayground } from '../run/playground.mjs';
import { writeStaticIndex } from '../run/static-index.mjs';
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
await writeStaticIndex(INDEX, sections, SETTINGS, join(folder, 'search'));
// the playground brings the library, which the search box uses too
await writePlayground(join(folder, 'playground'), '../index.html');
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
