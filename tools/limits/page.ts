const HEAD = `# Limits

Everything that more than one part of the server holds to, with where it comes from. Those that start with \`DEFAULT_\` can be set otherwise
([configuration.md](configuration.md)); the others are the same everywhere. What exceeds one is refused with a code of [errors.md](errors.md), never cut off in silence, unless its row says so.

This page is made from \`packages/foundation/base/src/limits.ts\` and the \`limits.ts\` of extensions (\`npx vitest run tools/limits -u\`).

| limit | value | where it comes from |
|---|---|---|
`;

interface Limit {
  readonly name: string;
  readonly value: number;
  readonly says: string;
}

/** A limits.ts: its text, and what it exports. */
export interface LimitsFile {
  readonly source: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The page of limits. Throws when a value has neither a comment nor one before it. */
export function makeLimitsPage(files: readonly LimitsFile[]): string {
  return HEAD + files.flatMap(readLimits).map(rowOf).join('');
}

/** Limits in their order; those under one comment share it. */
export function readLimits({ source, values }: LimitsFile): Limit[] {
  const found: Limit[] = [];
  let says = '';
  const parts = source.matchAll(/\/\*\*([\s\S]*?)\*\/|^export const ([A-Z0-9_]+)\b|^$/gm);
  for (const [whole, comment, name] of parts) {
    if (comment !== undefined)
      says = comment
        .replace(/^\s*\*? ?/gm, '')
        .replace(/\s+/g, ' ')
        .trim();
    // a comment applies up to the next empty line
    else if (whole === '') says = '';
    else {
      if (says === '') throw new Error(`${name} has no comment that says where it comes from`);
      found.push({ name: name!, value: Number(values[name!]), says });
    }
  }
  return found;
}

function rowOf({ name, value, says }: Limit): string {
  return `| \`${name}\` | ${described(name, value)} | ${says.replaceAll('|', '\\|')} |\n`;
}

/** Bytes in the unit that makes the number short, everything else with its digits in groups. */
function described(name: string, value: number): string {
  if (!Number.isInteger(value)) return `1/${1 / value}`;
  if (/_BYTES$/.test(name)) {
    const units = [
      [2 ** 30, 'GiB'],
      [2 ** 20, 'MiB'],
      [2 ** 10, 'KiB'],
      [1e6, 'MB'],
    ] as const;
    for (const [size, unit] of units) if (value >= size && value % size === 0) return `${value / size} ${unit}`;
  }
  return value.toLocaleString('en-US');
}
