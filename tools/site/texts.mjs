/**
 * The pages as programs with language models read them: `llms.txt`, which lists them (llmstxt.org), and next to each page
 * its Markdown, whose links lead to Markdown. Folders that name such an address in their own page have one too.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linkedAddress, pageText, sitePages } from './pages.mjs';

/** Links and images of Markdown: `[text](address)`, `[text](address "title")`. */
const LINKS = /(\]\()([^()\s]+)((?:\s+"[^"]*")?\))/g;
const SUMMARY =
  'A search engine for Node.js, as a server and as a package. The server speaks the HTTP API of Meilisearch.';

/** The address of a page's Markdown. */
export function textAddress(address) {
  return address.replace(/\.html$/, '.md');
}

/** Writes `llms.txt` and the Markdown of every page into the folder of the site. Throws for a link that leads nowhere. */
export function writeTexts(folder) {
  const pages = sitePages();
  const addresses = new Map(pages.map(({ file, address }) => [file, address]));
  for (const { file, address } of pages) {
    const target = join(folder, textAddress(address));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(
      target,
      linkedText(file, (name) => addresses.has(name)),
    );
  }
  writeFileSync(join(folder, 'llms.txt'), listOf(pages));
}

/** The Markdown of a file with the links that it has in the site. Code is left as it is. */
export function linkedText(file, isPage) {
  let isCode = false;
  return pageText(file)
    .split('\n')
    .map((line) => {
      if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
      if (isCode) return line;
      return line
        .split(/(`+[^`]*`+)/)
        .map((part) =>
          part.startsWith('`')
            ? part
            : part.replace(LINKS, (_, open, href, close) => `${open}${textLink(href, file, isPage)}${close}`),
        )
        .join('');
    })
    .join('\n');
}

function textLink(href, file, isPage) {
  const linked = linkedAddress(href, file, isPage);
  return /^[a-z]+:|^\/\/|^#/i.test(linked) ? linked : linked.replace(/\.html(?=$|[?#])/, '.md');
}

function listOf(pages) {
  const groups = [...new Set(pages.map(({ group }) => group))];
  const parts = groups.map((name) => {
    const lines = pages
      .filter(({ group }) => group === name)
      .map(({ title, address, file }) => `- [${title}](${textAddress(address)})${noteOf(file)}`);
    return `## ${name}\n\n${lines.join('\n')}\n`;
  });
  return `# Fossick\n\n> ${SUMMARY}\n\n${parts.join('\n')}`;
}

/** The first sentence of a page that is no heading, code, table or picture. */
function noteOf(file) {
  const text = pageText(file)
    .split(/\n\s*\n/)
    .find((part) => /^[A-Z`]/.test(part) && !part.startsWith('```'));
  if (text === undefined) return '';
  const plain = text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain;
  return `: ${sentence.length > 160 ? `${sentence.slice(0, 157)}...` : sentence.replace(/:$/, '.')}`;
}
