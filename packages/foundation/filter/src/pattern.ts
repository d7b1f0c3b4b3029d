/** True when the attribute pattern (`x`, `x*`, `*x`, `*x*` or `*`) matches the field's whole name. */
export function matchesPattern(pattern: string, field: string): boolean {
  if (pattern === '*') return true;
  const isOpenStart = pattern.startsWith('*');
  const isOpenEnd = pattern.endsWith('*');
  if (isOpenStart && isOpenEnd) return field.includes(pattern.slice(1, -1));
  if (isOpenStart) return field.endsWith(pattern.slice(1));
  if (isOpenEnd) return field.startsWith(pattern.slice(0, -1));
  return pattern === field;
}
