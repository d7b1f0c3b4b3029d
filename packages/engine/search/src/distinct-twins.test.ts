/** `distinct` takes a number and the text that facets show it by for one value, as facets and filters do. */
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from './scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index.close());

/** JSON texts of values; facets show 7.0 as 7. */
const VALUES = [
  '2020',
  '"2020"',
  '7',
  '"7"',
  '7.0',
  '"7.0"',
  '-0.5',
  '"-0.5"',
  '9007199254740993',
  '"9007199254740993"',
]
  .concat(['9007199254740992', '1e3', '"1000"', '"1e3"', '"007"', '"x"', '"X"', 'true', '"true"', '" 7 "'])
  .concat(['[7,"2020"]', '["7",7]', '["x",2020]', 'null', '[]']);
const SHOWN: Readonly<Record<string, string>> = { '7.0': '7', '1e3': '1000', '"X"': 'x', '" 7 "': '7' };

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The texts by which facets show the values of a JSON text. */
function shown(text: string): string[] {
  if (text === 'null') return [];
  if (text.startsWith('['))
    return text
      .slice(1, -1)
      .split(',')
      .filter((part) => part !== '')
      .flatMap(shown);
  return [SHOWN[text] ?? text.replaceAll('"', '')];
}

/** The ids of those that share no value with an earlier one that is shown. */
function firstsOf(texts: readonly string[]): number[] {
  const seen = new Set<string>();
  return texts.flatMap((text, id) => {
    const values = shown(text);
    if (values.some((value) => seen.has(value))) return [];
    for (const value of values) seen.add(value);
    return [id];
  });
}

test.each([1, 2, 7])('in documents of batches of %i, at random', async (batch) => {
  const random = seededRandom(TEST_SEED + batch);
  for (let round = 0; round < 6; round++) {
    const texts = Array.from({ length: round % 2 === 0 ? 40 : 9 }, () => VALUES[Math.floor(random() * VALUES.length)]!);
    index = await openScratchIndex([], { filterableAttributes: ['v'] });
    for (let at = 0; at < texts.length; at += batch * 5)
      await index.add(texts.slice(at, at + batch * 5).map((text, i) => `{"id":${at + i},"v":${text}}`));
    const firsts = firstsOf(texts);
    const label = JSON.stringify(texts);
    expect(index.idsOf({ distinct: 'v', limit: 100 }), label).toEqual(firsts);
    expect(index.search({ distinct: 'v', hitsPerPage: 100 }), label).toMatchObject({ totalHits: firsts.length });
    expect(index.idsOf({ distinct: 'v', offset: 2, limit: 3 }), label).toEqual(firsts.slice(2, 5));
    await index.merge();
    expect(index.idsOf({ distinct: 'v', limit: 100 }), label).toEqual(firsts);
    await index.close();
  }
  index = await openScratchIndex([]);
});

test('by the settings, and in groups of text only', async () => {
  index = await openScratchIndex(
    ['{"id":1,"v":2020}', '{"id":2,"v":"2020"}', '{"id":3,"v":"2020.0"}', '{"id":4,"v":["2021",2020]}'],
    { filterableAttributes: ['v'], distinctAttribute: 'v' },
  );
  expect(index.idsOf({})).toEqual([1, 3]);
  await index.add(['{"id":5,"v":2021}', '{"id":6,"v":"2021"}']);
  expect(index.idsOf({})).toEqual([1, 3, 5]);
});
