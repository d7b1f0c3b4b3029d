/** The functions and operators of score expressions. A value that is missing or undefined is NaN. */

/** How many arguments a function takes, and its value. */
export interface ScoreFunction {
  readonly least: number;
  readonly most: number;
  /** Of arguments that are all finite, except for `coalesce`. A value that is not finite counts as missing. */
  readonly of: (a: number, b: number, c: number) => number;
}

const one = (of: (a: number) => number): ScoreFunction => ({ least: 1, most: 1, of });
const two = (of: (a: number, b: number) => number): ScoreFunction => ({ least: 2, most: 2, of });
const three = (of: (a: number, b: number, c: number) => number): ScoreFunction => ({ least: 3, most: 3, of });

/** Distance in multiples of the scale; NaN unless the scale is above 0. */
const steps = (value: number, scale: number, origin: number): number =>
  scale > 0 ? Math.abs(value - origin) / scale : Number.NaN;

/** By name. Those with more than three arguments are folded from two when they are parsed. */
export const SCORE_FUNCTIONS = {
  '+': two((a, b) => a + b),
  '-': two((a, b) => a - b),
  '*': two((a, b) => a * b),
  '/': two((a, b) => a / b),
  negative: one((a) => -a),
  log: one(Math.log),
  log10: one(Math.log10),
  exp: one(Math.exp),
  sqrt: one(Math.sqrt),
  abs: one(Math.abs),
  min: two((a, b) => Math.min(a, b)),
  max: two((a, b) => Math.max(a, b)),
  pow: two((a, b) => a ** b),
  clamp: three((value, low, high) => Math.min(Math.max(value, low), high)),
  /** Halves with every step. */
  decay: three((value, scale, origin) => 0.5 ** steps(value, scale, origin)),
  /** One half at the first step; slower before it, faster after it. */
  gauss: three((value, scale, origin) => 0.5 ** (steps(value, scale, origin) ** 2)),
  coalesce: two((a, b) => (Number.isNaN(a) ? b : a)),
} as const satisfies Record<string, ScoreFunction>;

export type ScoreFunctionName = keyof typeof SCORE_FUNCTIONS;

/** The value of a function for these arguments, NaN when one that it needs is missing or the value is not finite. */
export function applied(name: ScoreFunctionName, a: number, b: number, c: number): number {
  const { least, of }: ScoreFunction = SCORE_FUNCTIONS[name];
  const isMissing = Number.isNaN(a) || (least > 1 && Number.isNaN(b)) || (least > 2 && Number.isNaN(c));
  if (isMissing && name !== 'coalesce') return Number.NaN;
  const value = of(a, b, c);
  return Number.isFinite(value) ? value : Number.NaN;
}
