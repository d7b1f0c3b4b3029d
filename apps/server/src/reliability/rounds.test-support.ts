/** Whether `npm run test:long` runs: the long form of tests that take minutes. */
export const isLongRun = process.env['FOSSICK_TEST_FAULTS'] === 'long';

/** The number of rounds of a test: `short` in `npm test`, `long` in `npm run test:long`. */
export function rounds(short: number, long: number): number {
  return isLongRun ? long : short;
}

/**
 * Like `rounds`, for tests with any number of rounds: `FOSSICK_TEST_ROUNDS` sets it, so that one test of a file fits
 * into the available time.
 */
export function chosenRounds(short: number, long: number): number {
  const chosen = process.env['FOSSICK_TEST_ROUNDS'];
  if (chosen === undefined) return rounds(short, long);
  const count = Number(chosen);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`FOSSICK_TEST_ROUNDS must be a positive integer, not \`${chosen}\``);
  return count;
}
