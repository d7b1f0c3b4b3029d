import { apiError } from '@fossick/base';
import { LaunchError } from '@fossick/instance';
import { expect, it } from 'vitest';
import { describe, revived } from './sent-errors.js';

it('errors keep their class, code and text on their way', () => {
  const error = apiError('replica_behind', 'position', 7, 5);
  const sent = revived(structuredClone(describe(error)));
  expect(sent).toMatchObject({ name: 'ApiError', code: 'replica_behind', message: error.message });
  expect(sent.constructor).toBe(error.constructor);
  const refusal = revived(structuredClone(describe(new LaunchError('the nodes have another master key'))));
  expect(refusal).toBeInstanceOf(LaunchError);
  expect(refusal.message).toBe('the nodes have another master key');
  expect(revived(describe(new RangeError('x')))).toMatchObject({ name: 'RangeError', message: 'x' });
});
