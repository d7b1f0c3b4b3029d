import { HAN_VARIANT_CLASSES } from './data/han-variants.js';

let variants: Map<string, string> | undefined;

/** The canonical variant of a Han character, itself when it has none. O(1). */
export function variantOfHan(char: string): string {
  variants ??= readVariants();
  return variants.get(char) ?? char;
}

function readVariants(): Map<string, string> {
  const table = new Map<string, string>();
  for (const sameChars of HAN_VARIANT_CLASSES.trim().split(/\s+/)) {
    const [canonical, ...others] = sameChars;
    for (const other of others) table.set(other, canonical!);
  }
  return table;
}
