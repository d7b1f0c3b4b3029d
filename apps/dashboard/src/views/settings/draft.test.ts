import { expect, test } from 'vitest';
import { changesOf } from './draft.js';

const own = { source: 'userProvided', dimensions: 3 };
const ollama = { source: 'ollama', url: 'http://a', model: 'm', apiKey: 'abXXXX...' };

test('of an embedder only what was changed is sent: the mask of its key is no key', () => {
  const saved = { embedders: { own, ollama }, stopWords: [] };
  expect(changesOf(saved, { ...saved, embedders: { own, ollama: { ...ollama, model: 'n' } } })).toEqual({
    embedders: { ollama: { model: 'n' } },
  });
  const { url: _url, ...without } = ollama;
  expect(changesOf(saved, { ...saved, embedders: { ollama: without } })).toEqual({
    embedders: { own: null, ollama: { url: null } },
  });
  expect(changesOf(saved, { ...saved, embedders: { ollama, own: { source: 'ollama', model: 'x' } } })).toEqual({
    embedders: { own: { source: 'ollama', model: 'x' } },
  });
  expect(changesOf(saved, { ...saved, embedders: { own, ollama, more: own } })).toEqual({ embedders: { more: own } });
  expect(changesOf(saved, saved)).toEqual({});
});
