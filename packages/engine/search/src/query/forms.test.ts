/** Words of documents and of queries in other forms, with mark-up, signs and invisible characters, through a whole search. */
import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index.close());

async function found(titles: readonly string[], queries: readonly string[], request: object = {}): Promise<number[][]> {
  index = await openScratchIndex(titles.map((title, id) => ({ id, title })));
  return queries.map((q) => index.search({ q, matchingStrategy: 'all', ...request }).hits.map(({ id }) => Number(id)));
}

const ALL: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'mark-up',
    ['<p>Needle in a <b>haystack</b></p>'],
    ['needle', 'haystack', '"needle in a"', '<b>haystack</b>', 'b haystack'],
  ],
  ['operators', ['a=b x|y john<j@x.io> 5>4 ~home'], ['b', 'y', 'john', 'x.io', 'j@x.io', '4', 'home', 'x|y', '"x|y"']],
  ['prices', ['costs $100', 'costs 100$', 'costs 100'], ['100', '$100', '100$', '€100', '"costs 100"', '"costs $100"']],
  [
    'trade marks',
    ['Nike™ Air', '™Nike Air', 'Nike® Air', 'Nike Air'],
    ['nike', 'nike™', '®nike', '"nike air"', '"nike™ air"', 'nike™ air'],
  ],
  ['hearts', ['love❤\ufe0f you', '\u2764love you', 'love you'], ['love', 'love❤', '❤\ufe0flove', '"love you"', 'lov']],
  [
    'full-width forms',
    ['東京ＡＢＣ１２３', '東京ABC123'],
    ['abc123', 'ＡＢＣ１２３', 'ａｂｃ', '東京', '"東京ABC123"'],
  ],
  ['kana', ['ﾌﾟﾛｸﾞﾗﾑ', 'プログラム'], ['プログラム', 'ﾌﾟﾛｸﾞﾗﾑ', 'プログ', 'ﾌﾟﾛｸﾞ']],
  ['numerals', ['Henry Ⅷ', 'Henry VIII', 'henry ⅷ'], ['henry viii', 'Ⅷ', '"Henry Ⅷ"']],
  ['Cyrillic', ['Ёлка', 'елка', 'е\u0308лка'], ['елка', 'ёлка', 'ЁЛК', 'елки'.slice(0, 3)]],
  [
    'Latin letters',
    ['Łódź Straße Øre', 'lodz strasse ore'],
    ['łódź', 'lodz', 'strasse', 'straße', 'STRASSE', 'øre', 'ore', 'lodź'],
  ],
  ['Arabic', ['كرتون', 'کرتون', 'کرتون پنجره', 'كرتون صندوق', 'کرتون ایران'], ['كرتون', 'کرتون', 'كرت']],
  [
    'white space',
    ['Jean\u00a0Dupont', 'Jean\u2028Dupont', 'Jean\u202fDupont'],
    ['dupont', '\u00a0dupont', 'jean\u2003dupont', '"jean dupont"', 'jean'],
  ],
  [
    'invisible characters',
    ['nee\u00addle', '\ufeffneedle', 'needle\u200d', 'nee\u2060dle'],
    ['needle', 'nee\u00addle', '\u200eneedle', 'need', '"needle"'],
  ],
];

test.each(ALL)('%s: every query finds every title', async (_, titles, queries) => {
  const everything = titles.map((_title, id) => id);
  const ids = await found(titles, queries);
  for (const [at, q] of queries.entries()) expect([q, ids[at]!.sort()]).toEqual([q, everything]);
});

test.each([
  [
    ['I ❤\ufe0f NY', 'love❤', 'none'],
    ['❤', '❤\ufe0f', ' \u2764\ufe0e ', '"❤"'],
    [0, 1],
  ],
  [['Nike™', 'Nike'], ['™', '"™"', ' ™ '], [0]],
  [['→ next', 'next→', 'next'], ['→'], [0, 1]],
  [['5€', '€5', '5'], ['€'], [0, 1]],
  [['★★★ Hotel', 'Hotel★', 'Hotel'], ['★'], [0, 1]],
  [['👩\u200d🚀', '🚀 up', 'up'], ['🚀'], [0, 1]],
  [['🇫🇷 x', 'x 🇫🇮', '🇷🇫'], ['🇫🇷'], [0]],
  [['a ☂ b', 'c'], ['☂', '☂\ufe0f'], [0]],
  [['$5', '5'], ['$'], [0]],
  [['18°C', '18 C'], ['°'], [0]],
] as const)('of %j, %j find those with the sign', async (titles, queries, expected) => {
  for (const ids of await found(titles, queries)) expect(ids.sort()).toEqual(expected);
});

test('a sign after a minus leaves out', async () => {
  expect(await found(['Nike™', 'Nike', 'ok'], ['-™', 'nike -™'])).toEqual([[1, 2], [1]]);
});

test.each([
  ['<p>A <b>needle</b></p>', 'needle', '<p>A <b><em>needle</em></b></p>'],
  ['a nee\u00addle here', 'needle', 'a <em>nee\u00addle</em> here'],
  ['a nee\u00addle here', 'need', 'a <em>nee\u00add</em>le here'],
  ['die Straße hier', 'stras', 'die <em>Straß</em>e hier'],
  ['東京ＡＢＣ', 'ab', '東京<em>ＡＢ</em>Ｃ'],
  ['ﾌﾟﾛｸﾞ 入門', 'プロ', '<em>ﾌﾟﾛ</em>ｸﾞ 入門'],
  ['new Nike™!', 'nike', 'new <em>Nike</em>™!'],
  ['new Nike™!', 'nike™', 'new <em>Nike</em><em>™</em>!'],
  ['I ❤\ufe0f NY', '❤', 'I <em>❤</em>\ufe0f NY'],
  ['at 5㏂ or 6㏂', 'm', 'at 5㏂ or 6㏂'],
  ['Jean\u00a0Dupont', 'dupont', 'Jean\u00a0<em>Dupont</em>'],
  ['Ёлка!', 'елка', '<em>Ёлка</em>!'],
])('%j is marked for %j', async (title, q, expected) => {
  index = await openScratchIndex([{ id: 1, title }]);
  const [hit] = index.search({ q, attributesToHighlight: ['title'] }).hits;
  expect((hit!._formatted as Record<string, unknown>).title).toBe(expected);
});

test('a text is cropped by words, whatever signs are between them', async () => {
  index = await openScratchIndex([{ id: 1, title: '<i>one</i> two™ needle→ four ★five six' }]);
  const [hit] = index.search({ q: 'needle', attributesToCrop: ['title'], cropLength: 3 }).hits;
  expect((hit!._formatted as Record<string, unknown>).title).toBe('…two™ needle→ four…');
});
