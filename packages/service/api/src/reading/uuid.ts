/** Plain, hyphenated, in braces, or as a URN: the four forms of RFC 4122 and its libraries. */
const HYPHENATED = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const UUID = new RegExp(`^(?:[0-9a-f]{32}|${HYPHENATED}|\\{${HYPHENATED}\\}|urn:uuid:${HYPHENATED})$`, 'i');

/** The UUID in a text, hyphenated and lower case; undefined when it is none. */
export function readUuid(text: string): string | undefined {
  if (!UUID.test(text)) return undefined;
  const digits = text.toLowerCase().replace('urn:uuid:', '').replaceAll(/[{}-]/g, '');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
