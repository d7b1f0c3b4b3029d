import { DEFAULT_RULE_LIMITS } from '@fossick/search';
import { expect, it } from 'vitest';
import { ruleLimits } from './rule-book.js';

it('takes limits from the environment, and defaults for values that are no numbers', () => {
  const limits = ruleLimits({
    MEILI_EXPERIMENTAL_DSR_FUEL_MAX_PIN_ACTIONS: '3',
    MEILI_EXPERIMENTAL_DSR_FUEL_FILTER_OR_FUEL: 'many',
  });
  expect(limits).toEqual({ ...DEFAULT_RULE_LIMITS, pins: 3 });
});
