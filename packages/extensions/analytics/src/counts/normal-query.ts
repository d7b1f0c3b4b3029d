/** UTF-16 units of a query that are looked at: longer ones are pasted texts, which nobody types twice. */
const READ_UNITS = 512;
/** UTF-16 units of a query that are kept. */
export const QUERY_UNITS = 128;

/** Printable ASCII with single spaces between words. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** The text under which equal queries are counted: lower case, compatible forms made equal, single spaces, 128 units at most. */
export function normalQuery(text: string): string {
  // most queries: nothing to make equal but upper case
  if (text.length <= QUERY_UNITS && PLAIN.test(text)) return text.toLowerCase();
  const normal = cutText(text, READ_UNITS).normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return normal.length > QUERY_UNITS ? whole(normal.slice(0, QUERY_UNITS)).trim() : whole(normal);
}

/** Without half of a character at the end; other lone halves are replaced, so that the text is valid UTF-8. */
const whole = (text: string): string => text.replace(/[\ud800-\udbff]$/, '').replace(/\p{Surrogate}/gu, '\ufffd');

/**
 * The first units of a text, in memory of their own: what is cut from a string otherwise keeps the whole string alive, such as the
 * address or the body of a request. Lone halves of characters are replaced.
 */
export function cutText(text: string, unitCount: number): string {
  return text.length > unitCount ? Buffer.from(text.slice(0, unitCount)).toString() : text;
}
