import { expect, test } from 'vitest';
import { checkAnswer } from './answer-contract.test-support.js';

const json = (status: number, value: unknown) => ({
  status,
  mediaType: 'application/json; charset=utf-8',
  text: JSON.stringify(value),
});
const INDEX = { uid: 'boats', createdAt: '2031-05-01T08:00:00Z', updatedAt: '2031-05-01T08:00:01Z', primaryKey: null };

test('answers that their schemas describe are right', () => {
  checkAnswer('GET', '/indexes/boats', json(200, INDEX));
  checkAnswer('GET', '/indexes?limit=1', json(200, { results: [INDEX], offset: 0, limit: 1, total: 3 }));
  // a path of the table comes before a name
  checkAnswer('GET', '/indexes/boats/settings/stop-words', json(200, ['the']));
  checkAnswer('GET', '/indexes/boats/documents/7', json(200, { id: 7, anything: [{ goes: null }] }));
});

test('errors, pages and answers without a body are not its business', () => {
  checkAnswer('GET', '/nowhere', json(404, { any: 'thing' }));
  checkAnswer('GET', '/nowhere', { status: 200, mediaType: 'text/html', text: '<p>' });
  checkAnswer('DELETE', '/keys/7', { status: 204, mediaType: '', text: '' });
});

test.each([
  ['an unknown member', 'GET', '/indexes/boats', json(200, { ...INDEX, colour: 'red' })],
  ['an unknown member within', 'GET', '/batches/4', json(200, { uid: 4, stats: { waves: 1 } })],
  ['a missing member', 'GET', '/indexes/boats', json(200, { uid: 'boats' })],
  ['another type', 'GET', '/health', json(200, { status: 1 })],
  ['another status', 'GET', '/indexes/boats', json(202, INDEX)],
  ['an unknown path', 'GET', '/harbours', json(200, {})],
  ['an unknown method', 'PUT', '/indexes/boats', json(200, INDEX)],
  ['a setting of another type', 'GET', '/indexes/boats/settings/stop-words', json(200, { the: 1 })],
])('%s is refused', (_name, method, path, answer) => {
  expect(() => checkAnswer(method, path, answer)).toThrow(`${method} ${path}, ${answer.status}`);
});
