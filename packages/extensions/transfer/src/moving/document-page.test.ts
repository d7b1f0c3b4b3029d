import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDocumentPage } from './document-page.js';

test('documents keep their text, wherever the list is in the answer', () => {
  const spelled = '{"id":12345678901234567890,"n":1.0,"t":"a\\"]},{\\\\","o":{"l":[1,[2]]}}';
  const answer = `{ "offset": 0, "results" : [ ${spelled} ,{"id":2}\n] , "limit":2,"total": 7 , "more":null}`;
  const { documents, total } = readDocumentPage(Buffer.from(answer));
  expect(documents.map(String)).toEqual([spelled, '{"id":2}']);
  expect(total).toBe(7);
  expect(readDocumentPage(Buffer.from('{"results":[],"total":0}'))).toEqual({ documents: [], total: 0 });
});

test('any documents are cut as JSON.parse would', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (documents) => {
      const page = readDocumentPage(Buffer.from(JSON.stringify({ total: documents.length, results: documents })));
      const texts = page.documents.map(String);
      expect(texts).toEqual(documents.map((document) => JSON.stringify(document)));
    }),
    { numRuns: 300 },
  );
});

test('truncated and other answers are rejected', () => {
  const whole = '{"results":[{"id":"é\\u00e9"},{"id":2}],"offset":0,"total":2}';
  for (let at = 0; at < whole.length; at++)
    expect(() => readDocumentPage(Buffer.from(whole.slice(0, at)))).toThrow('no page of documents');
  for (const text of [
    '[]',
    'null',
    '{}',
    '{"results":{},"total":1}',
    '{"results":[],"total":"x"}',
    '{"results":[1 2],"total":1}',
  ])
    expect(() => readDocumentPage(Buffer.from(text))).toThrow('no page of documents');
});
