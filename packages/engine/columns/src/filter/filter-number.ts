/** An unambiguous pattern: backtracking would be quadratic in a long row of digits. */
const FLOAT = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The finite number that a filter value spells, or undefined. O(length) */
export function numberOf(text: string): number | undefined {
  const number = FLOAT.test(text.trim()) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : undefined;
}
