import { expect, it } from 'vitest';
import { shownEmbedders } from './shown-embedders.js';

it('an embedder is shown with its secrets masked, by their length, wherever they are', () => {
  const keys = ['123456789', '1234567890', '1'.repeat(20), '1'.repeat(30)];
  const masked = keys.map((apiKey) => shownEmbedders({ e: { searchEmbedder: { apiKey } } }));
  expect(JSON.stringify(masked.map((each) => Object.values(Object.values(each as object)[0] as object)[0]))).toBe(
    '[{"apiKey":"XXX..."},{"apiKey":"12XXXX..."},{"apiKey":"111XXXXX..."},{"apiKey":"11111XXXXXX..."}]',
  );
});
