/**
 * The seed of every random test of a run. `vitest.config.ts` sets the same one for each run of `npm test` and `npm run
 * test:system`; `npm run test:long` chooses one by chance. Each command prints it; FOSSICK_TEST_SEED sets another.
 */
export const TEST_SEED = Number(process.env['FOSSICK_TEST_SEED']);

/** Whether this is `npm run test:long`. */
export const IS_LONG: boolean = process.env['FOSSICK_TEST_FAULTS'] === 'long';

/** Runs of a random test: a third of them in `npm test`, where each time has the same seed. */
export function runsOf(count: number): number {
  return IS_LONG ? count : Math.ceil(count / 3);
}
