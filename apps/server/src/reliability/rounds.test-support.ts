/** Whether `npm run test:faults` runs: the long form of tests that take minutes. */
export const isLongRun = process.env['FOSSICK_TEST_FAULTS'] === 'long';

/** How often a test tries: `short` in `npm test`, `long` in `npm run test:faults`. */
export function rounds(short: number, long: number): number {
  return isLongRun ? long : short;
}
