import { MAX_EDIT_CONTEXT_BYTES } from '@fossick/base';
import { readFields } from '@fossick/base/contract';
import { expect, test } from 'vitest';
import { EDITION_BODY } from './document-fields.js';

test('the context of an edit has a limit of bytes, because every listing of tasks shows it', () => {
  const edit = (text: string) => readFields({ function: 'doc.n = 1', context: { text } }, EDITION_BODY);
  const room = MAX_EDIT_CONTEXT_BYTES - '{"text":""}'.length;
  expect(edit('x'.repeat(room)).context).toMatchObject({ text: expect.any(String) });
  for (const text of ['x'.repeat(room + 1), 'é'.repeat(room / 2 + 1)])
    expect(() => edit(text)).toThrow(expect.objectContaining({ code: 'invalid_document_edition_context' }));
});
