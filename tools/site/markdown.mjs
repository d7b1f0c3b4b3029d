/** What the pages need of markdown-it in addition: ids of headings as GitHub makes them, links of the site, and sections. */
import highlighter from 'highlight.js/lib/common';
import { linkedAddress } from './pages.mjs';

/**
 * Changes a markdown-it so that it renders pages of the site. Each rendering gives the page's sections to `onSections`: one for
 * each heading, as `{ heading, id, text }`.
 */
export function extendMarkdown(markdown, { isPage, onSections }) {
  markdown.set({ highlight: (code, language) => codeBlock(code, language, markdown.utils.escapeHtml) });
  markdown.core.ruler.push('site', ({ tokens, env }) => {
    const sections = [];
    const ids = new Map();
    let section;
    for (const [at, token] of tokens.entries()) {
      // what scrolls sideways does so by the keyboard too
      if (token.type === 'table_open') token.attrSet('tabindex', '0');
      if (token.type === 'heading_open') {
        const heading = plainText(tokens[at + 1]);
        const id = uniqueId(headingId(heading), ids);
        token.attrSet('id', id);
        section = { heading, id, texts: [] };
        sections.push(section);
      } else if (token.type === 'inline') {
        for (const child of token.children) rewriteLink(child, env.file, isPage);
        if (tokens[at - 1].type !== 'heading_open') section?.texts.push(plainText(token));
      } else if (token.type === 'fence') section?.texts.push(token.content);
    }
    onSections(
      env,
      sections.map(({ texts, ...rest }) => ({ ...rest, text: texts.join('\n') })),
    );
  });
}

/** A block of code, its parts in colours where the language is known. */
function codeBlock(code, language, escapeHtml) {
  const isKnown = highlighter.getLanguage(language) !== undefined;
  const shown = isKnown ? highlighter.highlight(code, { language }).value : escapeHtml(code);
  return `<pre tabindex="0"><code>${shown}</code></pre>`;
}

function rewriteLink(token, file, isPage) {
  const name = { link_open: 'href', image: 'src' }[token.type];
  if (name !== undefined) token.attrSet(name, linkedAddress(token.attrGet(name), file, isPage));
}

function plainText({ children }) {
  const text = ({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content);
  return children
    .filter(({ type }) => !type.startsWith('html'))
    .map(text)
    .join('');
}

/** The part of an address that GitHub gives a heading, which links in the pages use. */
function headingId(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, '')
    .replaceAll(' ', '-');
}

function uniqueId(id, ids) {
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}
