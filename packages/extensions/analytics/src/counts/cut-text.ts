/**
 * The first units of a text, in memory of their own: what is cut from a string otherwise keeps the whole string alive, such as the
 * address or the body of a request. Lone halves of characters are replaced.
 */
export function cutText(text: string, unitCount: number): string {
  return text.length > unitCount ? Buffer.from(text.slice(0, unitCount)).toString() : text;
}
