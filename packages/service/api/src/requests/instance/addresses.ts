import { isIndexUid, MAX_URL_UNITS } from '@fossick/base';
import { checked, exampleText, type Kind, type Parser, parsers, shown, wrongValue } from '@fossick/base/contract';

const addressText = parsers.textUpTo(MAX_URL_UNITS);
const parseAddress: Parser<string> = (value, where) => {
  const address = addressText(value, where);
  if (!URL.canParse(address) || !/^https?:/i.test(address))
    throw wrongValue(where, `\`${address}\` is not a URL that starts with \`http://\` or \`https://\`.`);
  return address;
};
/** The address of another server. */
export const httpAddress = (says: string, example: string): Kind<string> =>
  checked(shown(exampleText(says, example), { maxLength: MAX_URL_UNITS }), parseAddress);

/** A name of an index, or the beginning of names with `*` after it. */
export const INDEX_PATTERN = '^(\\*|[a-zA-Z0-9_-]{1,400}\\*?)$';
/** Whether a text is the uid of an index, or the beginning of one with `*` after it; `*` alone is all. */
export function isIndexPattern(pattern: string): boolean {
  return pattern === '*' || isIndexUid(pattern.endsWith('*') ? pattern.slice(0, -1) : pattern);
}
