import { MAX_WORD_BYTES } from '@fossick/base';
import { WORD_BYTES_MAX } from '@fossick/kernel';
import { expect, test } from 'vitest';

test('the kernel, which is compiled by itself, has the same bound of indexed words as the other rooms', () => {
  expect(WORD_BYTES_MAX).toBe(MAX_WORD_BYTES);
});
