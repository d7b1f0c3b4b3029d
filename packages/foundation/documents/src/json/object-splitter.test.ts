import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ObjectSplitter } from './object-splitter.js';

function split(text: string, kind: 'document' | 'sequence', chunkBytes: number): string[] {
  const splitter = new ObjectSplitter(kind);
  const bytes = Buffer.from(text);
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    found.push(...splitter.push(bytes.subarray(at, at + chunkBytes)).map(String));
  splitter.end();
  return found;
}
const documents = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });

test('finds the same objects whatever the chunks are', () => {
  fc.assert(
    fc.property(documents, fc.integer({ min: 1, max: 9 }), fc.boolean(), (objects, chunkBytes, isArray) => {
      const texts = objects.map((object) => JSON.stringify(object));
      const text = isArray ? `[ ${texts.join(' ,\n')} ]` : texts.join('\n');
      expect(split(text, isArray ? 'document' : 'sequence', chunkBytes)).toEqual(texts);
    }),
  );
});
test('one object alone is a document', () => {
  expect(split(' {"a":"}"} ', 'document', 3)).toEqual(['{"a":"}"}']);
});
test.each(['1', '"a"', '[1]', '[{}', '{', '[{},]', '{}{}', '[{}]x', '[{} {}]'])('refuses %s', (text) => {
  expect(() => split(text, 'document', 2)).toThrow(expect.objectContaining({ code: 'malformed_payload' }));
});
