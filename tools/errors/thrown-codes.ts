import type { SourceFile } from '../tidy/source-file.js';

const QUOTED = /'([a-z][a-z0-9_]*)'/g;
/** A template that could be a code: words and placeholders joined by underscores. */
const TEMPLATE = /`((?:[a-z0-9_]+|\$\{[\w.]+\})+)`/g;
const CONSTANT = /^const ([A-Z_]+)(?:: \w+)? = '([a-z0-9_]+)'/gm;
const EXPLICIT = /(?:new ApiError\(\s*|\bapiError\(\s*|\bsharedError\(\s*|\bcode: )'([a-z0-9_]+)'/g;

/**
 * Codes named in the sources: in quotes, or composed by a template whose parts are quoted in the same file. `unknown`
 * are codes of thrown errors that are not in the table. O(text x templates)
 */
export function findThrownCodes(
  sources: readonly SourceFile[],
  codes: readonly string[],
): { readonly known: ReadonlySet<string>; readonly unknown: readonly string[] } {
  const table = new Set(codes);
  const known = new Set<string>();
  const unknown: string[] = [];
  for (const { path, text } of sources) {
    const constants = new Map([...text.matchAll(CONSTANT)].map(([, name, value]) => [name!, value!]));
    for (const [, word] of text.matchAll(QUOTED)) if (table.has(word!)) known.add(word!);
    for (const [, code] of text.matchAll(EXPLICIT)) if (!table.has(code!)) unknown.push(`${path}: ${code}`);
    for (const [, template] of text.matchAll(TEMPLATE)) {
      const resolved = template!.replace(/\$\{(\w+)\}/g, (whole, name: string) => constants.get(name) ?? whole);
      const pattern = new RegExp(`^${resolved.replace(/\$\{[^}]*\}/g, '(.+)')}$`);
      if (pattern.test('')) continue;
      for (const code of codes) {
        const parts = pattern.exec(code)?.slice(1);
        if (parts?.every((part) => text.includes(`'${part}'`))) known.add(code);
      }
    }
  }
  return { known, unknown };
}
