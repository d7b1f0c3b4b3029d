import traditionalToSimplified from "opencc-js/dict/TSCharacters";

let variants: Map<string, string> | undefined;

/**
 * The canonical variant of a Han character, itself when it has none (spec 10 section 6, step 9). The table is
 * OpenCC's, which folds
 * traditional into simplified: the direction does not show, as documents and queries take the same one.
 */
export function variantOfHan(char: string): string {
  variants ??= readVariants();
  return variants.get(char) ?? char;
}

function readVariants(): Map<string, string> {
  const table = new Map<string, string>();
  for (const pair of traditionalToSimplified.split("|")) {
    const [from, to] = pair.split(" ");
    if (from !== undefined && to !== undefined && from !== to) table.set(from, to);
  }
  return table;
}
