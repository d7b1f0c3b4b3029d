/**
 * The seed of every random test of a run. `vitest.config.ts` sets the same one for each run of `npm test` and `npm run
 * test:system`; `npm run test:long` chooses one by chance. Each command prints it; FOSSICK_TEST_SEED sets another.
 */
export const TEST_SEED = Number(process.env['FOSSICK_TEST_SEED']);
