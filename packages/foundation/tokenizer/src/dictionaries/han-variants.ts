import { utf8Text } from '@fossick/base';
import { Dictionary, type SharedDictionary } from './dictionary.js';
import { readOwnFile } from './package-file.js';

/**
 * Classes of Han characters that are the same to a search, white space between them; the first of a class is the one that
 * the others are folded to. The file has 26 kB, so that a thread with files reads it at once.
 */
const variants = new Dictionary(
  'han',
  () => ({ classes: new Uint8Array(readOwnFile('dictionaries/han.gz')) }),
  ({ classes }) => readVariants(utf8Text(classes)),
  true,
);

/** The canonical variant of a Han character, itself when it has none. O(1). */
export function variantOfHan(char: string): string {
  return variants.get().get(char) ?? char;
}

function readVariants(classes: string): Map<string, string> {
  const table = new Map<string, string>();
  for (const sameChars of classes.trim().split(/\s+/)) {
    const [canonical, ...others] = sameChars;
    for (const other of others) table.set(other, canonical!);
  }
  return table;
}

export function hanDictionary(): SharedDictionary {
  return variants;
}
