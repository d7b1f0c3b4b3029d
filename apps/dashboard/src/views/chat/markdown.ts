/**
 * The part of Markdown that models answer in: paragraphs, headings, lists, quotes, code, tables; bold, italic, links. Everything else
 * is text, HTML too. A text may be cut anywhere, because answers arrive in pieces.
 */

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

export type Span =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}#{1,6} +(.*?)[ #]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)(?:[-*+]|(\d{1,9})[.)]) +/;
const TABLE_RULE = /^ *\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$/;
const isBlock = (line: string): boolean => FENCE.test(line) || HEADING.test(line) || QUOTE.test(line);
/** Lists and quotes within each other; deeper ones are text. */
const MAX_DEPTH = 8;

/** The blocks of a text. Linear in its lines, times their depth. */
export function blocksOf(text: string, depth = 0): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  const takeWhile = (from: number, holds: (line: string) => boolean): string[] => {
    let end = from;
    while (end < lines.length && holds(lines[end]!)) end += 1;
    return lines.slice(from, end);
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line)?.[1];
    if (fence !== undefined) {
      const code = takeWhile(at + 1, (each) => !each.trimStart().startsWith(fence));
      blocks.push({ kind: 'code', text: code.join('\n') });
      at += code.length + 2;
    } else if (heading !== undefined) {
      blocks.push({ kind: 'heading', text: heading });
      at += 1;
    } else if (QUOTE.test(line) && depth < MAX_DEPTH) {
      const quoted = takeWhile(at, (each) => QUOTE.test(each));
      const inner = quoted.map((each) => each.replace(QUOTE, '')).join('\n');
      blocks.push({ kind: 'quote', blocks: blocksOf(inner, depth + 1) });
      at += quoted.length;
    } else if (ITEM.test(line) && depth < MAX_DEPTH) {
      const { list, end } = listAt(lines, at, depth);
      blocks.push(list);
      at = end;
    } else if (TABLE_RULE.test(lines[at + 1] ?? '') && line.includes('|')) {
      const body = takeWhile(at + 2, (each) => each.includes('|'));
      blocks.push({ kind: 'table', rows: [line, ...body].map(cellsOf) });
      at += body.length + 2;
    } else {
      const isEnd = (each: string): boolean => each.trim() === '' || ITEM.test(each) || isBlock(each);
      const paragraph = [line, ...takeWhile(at + 1, (each) => !isEnd(each))];
      if (line.trim() !== '') blocks.push({ kind: 'paragraph', text: paragraph.join('\n').trim() });
      at += line.trim() === '' ? 1 : paragraph.length;
    }
  }
  return blocks;
}

/** The list that begins at a line, and the line behind it. */
function listAt(lines: readonly string[], from: number, depth: number): { list: Block; end: number } {
  const [, margin = '', number] = ITEM.exec(lines[from]!)!;
  const items: string[][] = [];
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const found = ITEM.exec(line);
    const isOwn = found !== null && found[1]!.length <= margin.length + 1;
    if (isOwn && (found[2] === undefined) !== (number === undefined)) break;
    if (isOwn) items.push([line.slice(found[0].length)]);
    else if (line.trim() === '') {
      // an empty line is within the list if what follows is
      const next = lines[at + 1] ?? '';
      if (!ITEM.test(next) && !/^ {2,}\S/.test(next)) break;
      items.at(-1)!.push('');
    } else if (/^ {2,}/.test(line) || found !== null) items.at(-1)!.push(line);
    else if (isBlock(line)) break;
    else items.at(-1)!.push(line);
  }
  const start = number === undefined ? null : Number(number);
  return { list: { kind: 'list', start, items: items.map((item) => blocksOf(outdented(item), depth + 1)) }, end: at };
}

/** The lines of an item, without the margin that the ones after the first have. */
function outdented([first = '', ...rest]: readonly string[]): string {
  const margins = rest.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length);
  const margin = Math.min(...margins);
  return [first, ...rest.map((line) => line.slice(margin))].join('\n');
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

const LETTER = String.raw`[\p{L}\p{N}_]`;
/**
 * In this order: an escaped sign, code, bold, italic, a link with its text, and an address. Lengths are limited, so that a sign without its
 * second one costs no look through the whole text.
 */
const SPAN = new RegExp(
  [
    String.raw`\\(?<escaped>[!-/:-@[-\x60{-~])`,
    String.raw`(?<ticks>\x60+)(?<code>[^\x60]{1,9999})\k<ticks>`,
    String.raw`(?<bold>\*\*|(?<!${LETTER})__)(?<strong>[^\s*_](?:[^\n]{0,999}?\S)??)\k<bold>`,
    String.raw`(?<slanted>\*|(?<!${LETTER})_)(?<em>[^\s*_](?:[^\n*_]{0,999}[^\s*_])?)\k<slanted>(?!${LETTER})`,
    String.raw`\[(?<label>[^\]\n]{1,999})\]\((?<href>https?://[^\s()]+)\)`,
    String.raw`(?<address>https?://[^\s<>()*\x60]*[^\s<>()*\x60.,:;!?])`,
  ].join('|'),
  'gu',
);

/** The pieces of a text. Only addresses of the web are links. */
export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  const plain = (part: string): void => {
    const last = spans.at(-1);
    if (last?.kind === 'text') spans[spans.length - 1] = { kind: 'text', text: last.text + part };
    else if (part !== '') spans.push({ kind: 'text', text: part });
  };
  let from = 0;
  for (const found of text.matchAll(SPAN)) {
    plain(text.slice(from, found.index));
    from = found.index + found[0].length;
    const { escaped, code, strong, em, label, href, address } = found.groups as Record<string, string | undefined>;
    if (escaped !== undefined) plain(escaped);
    else if (code !== undefined) spans.push({ kind: 'code', text: code.trim() });
    else if (strong !== undefined) spans.push({ kind: 'strong', text: strong });
    else if (em !== undefined) spans.push({ kind: 'em', text: em });
    else spans.push({ kind: 'link', text: (label ?? address)!, href: (href ?? address)! });
  }
  plain(text.slice(from));
  return spans;
}
