import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The first page of a new user shows these films, so they read as a catalogue and not as a copied page. */
it('the films of the sample have no marks of footnotes', () => {
  const lines = readFileSync(new URL('../../data/movies-sample.ndjson', import.meta.url), 'utf8').trim().split('\n');
  expect(lines).toHaveLength(2_000);
  expect(lines.filter((line) => /[^"\d,]\[(?:\d+|[a-z])\]/.test(line))).toEqual([]);
});
