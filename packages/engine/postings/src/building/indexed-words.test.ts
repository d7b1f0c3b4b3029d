import { MAX_WORD_BYTES } from '@fossick/base';
import { WORD_BYTES_MAX } from '@fossick/kernel';
import { expect, test } from 'vitest';

test('the kernel, which is compiled separately, has the same limit of indexed words as other packages', () => {
  expect(WORD_BYTES_MAX).toBe(MAX_WORD_BYTES);
});
