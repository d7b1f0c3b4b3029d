/** Each place of a text can be read in one way only: backtracking would take the square of a long row of digits. */
const FLOAT = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The finite number a filter value is, or undefined. O(length) */
export function numberOf(text: string): number | undefined {
  const number = FLOAT.test(text.trim()) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : undefined;
}
