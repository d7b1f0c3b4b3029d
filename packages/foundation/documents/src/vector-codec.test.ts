import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { decodeDocument, decodeFields, encodeDocument } from './document-codec.js';
import { documentText, fieldTexts } from './document-text.js';
import { FieldNames } from './fields/field-names.js';
import type { JsonObject } from './json/json-object.js';

const names = ['id', '_vectors', 'title'];
const fields = (): FieldNames => new FieldNames(names);
const roundTrip = (document: JsonObject): JsonObject => decodeDocument(encodeDocument(document, fields()), names);

describe('vectors in the row of a document', () => {
  const made = (dimCount: number, count = 1): JsonObject => ({
    embeddings: Array.from({ length: count }, (_, v) =>
      Array.from({ length: dimCount }, (_, d) => Math.fround(v + d / 7)),
    ),
    regenerate: count > 1,
  });

  it.each([1, 2, 3, 5, 60, 256, 20_000])('come back as they were, in four bytes a number: %i', (dimCount) => {
    for (const count of [1, 3]) {
      const document = { id: 7, _vectors: { a: made(dimCount, count), b: made(2) }, title: 'x' };
      expect(roundTrip(document)).toEqual(document);
      expect(encodeDocument(document, fields()).length).toBeLessThan(dimCount * count * 4 + 80);
      expect(documentText(encodeDocument(document, fields()), fieldTexts(names))?.toString()).toBe(
        '{"id":7,"title":"x"}',
      );
      expect(decodeFields(encodeDocument(document, fields()), names)).toEqual({ id: 7, title: 'x' });
      // the flag is reset after the call
      expect(roundTrip(document)).toEqual(document);
    }
  });

  it.each([
    ['of other names and forms', { a: [1, 2], b: null, c: 'text', d: { embeddings: [[1]] }, e: [[0.5]] }],
    ['of more than single precision', { a: { embeddings: [[0.1, 1e300]], regenerate: false } }],
    [
      'of several sizes, or none',
      { a: { embeddings: [[1], [1, 2]], regenerate: true }, b: { embeddings: [], regenerate: true } },
    ],
    ['of names that objects have anyway', JSON.parse('{"__proto__": {"embeddings": [[1]], "regenerate": false}}')],
  ])('%s stay as they are', (_, vectors) => {
    const document = { id: 1, _vectors: vectors };
    expect(JSON.stringify(roundTrip(document))).toBe(JSON.stringify(document));
    expect(decodeFields(encodeDocument(document, fields()), names)).toEqual({ id: 1 });
  });

  it('are read from rows that earlier releases wrote', () => {
    const old = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'bigint' });
    const vectors = { a: { embeddings: [[0.1, 0.25, 3]], regenerate: true } };
    expect(decodeDocument(old.pack([0, 1, 1, vectors]), names)).toEqual({ id: 1, _vectors: vectors });
  });
});
