/** What every test file runs first: random tests of fast-check without a seed of their own use the one of the run. */
import fc from 'fast-check';
import { TEST_SEED } from '../../packages/foundation/base/src/test-seed.test-support.js';

fc.configureGlobal({ seed: TEST_SEED });
