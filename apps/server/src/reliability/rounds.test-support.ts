/** Whether `npm run test:faults` runs: the long form of tests that take minutes. */
export const isLongRun = process.env['FOSSICK_TEST_FAULTS'] === 'long';

/** How often a test tries: `short` in `npm test`, `long` in `npm run test:faults`. */
export function rounds(short: number, long: number): number {
  return isLongRun ? long : short;
}

/**
 * Like `rounds`, for what may be tried any number of times: as often as `FOSSICK_TEST_ROUNDS` says where it is set, so that one test of
 * a file fits into the time there is.
 */
export function chosenRounds(short: number, long: number): number {
  const chosen = process.env['FOSSICK_TEST_ROUNDS'];
  if (chosen === undefined) return rounds(short, long);
  const count = Number(chosen);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`FOSSICK_TEST_ROUNDS must be a positive integer, not \`${chosen}\``);
  return count;
}
