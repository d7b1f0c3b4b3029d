/** New searches of ten kinds, over documents whose words follow Zipf's law. */

const SYLLABLES = 'ba re ti lo mu sha den kor vi pal quo ster ni gra fel ho zu cam ly tron'.split(' ');
const WORD_COUNT = 60_000;
/** The word of rank r (from 1 on) is as frequent as 1 / r to this power. */
const ZIPF_EXPONENT = 1.05;
/**
 * The number of draws is limited to this multiple of the wanted queries, so that drawing ends even when few different
 * ones are left.
 */
const DRAWS_PER_QUERY = 20;
const YEARS = [1900, 2025];
const GENRE_COUNT = 11;
const CODE_DIGITS = 10;
const AUTHOR_COUNT = 50_000;

/** Numbers in [0, 1), the same for a seed. */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Words that spell numbers in syllables, every third with an s. */
const words = (() => {
  const found = new Set();
  for (let n = 0; found.size < WORD_COUNT; n++) {
    let word = '';
    let rest = n;
    do {
      word += SYLLABLES[rest % SYLLABLES.length];
      rest = Math.floor(rest / SYLLABLES.length);
    } while (rest > 0);
    found.add(n % 3 === 0 ? `${word}s` : word);
  }
  return [...found];
})();
const shares = new Float64Array(words.length);
let shareSum = 0;
for (const at of words.keys()) shares[at] = shareSum += 1 / (at + 1) ** ZIPF_EXPONENT;

const intOf = (random, low, high) => low + Math.floor(random() * (high - low + 1));
const textOf = (random, count) => Array.from({ length: count }, () => wordOf(random)).join(' ');

function wordOf(random) {
  const target = random() * shareSum;
  let low = 0;
  let high = words.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (shares[middle] < target) low = middle + 1;
    else high = middle;
  }
  return words[low];
}

/** The document with an id; documents must be drawn in sequence. */
export function documentOf(random, id) {
  return {
    id,
    title: textOf(random, intOf(random, 1, 6)),
    overview: textOf(random, intOf(random, 10, 80)),
    year: intOf(random, ...YEARS),
    genre: `genre ${intOf(random, 0, GENRE_COUNT - 1)}`,
    author: `author ${Math.floor(random() ** 2 * AUTHOR_COUNT)}`,
    code: `c${id}-${intOf(random, 0, CODE_DIGITS - 1)}`,
    _geo: { lat: random() * 170 - 85, lng: random() * 360 - 180 },
  };
}

const withoutThird = (word) => (word.length > 4 ? word.slice(0, 2) + word.slice(3) : word);

const KINDS = {
  word: (random) => ({ q: wordOf(random) }),
  prefix: (random) => ({ q: wordOf(random).slice(0, 3) }),
  typo: (random) => ({ q: withoutThird(wordOf(random)) }),
  'two words': (random) => ({ q: textOf(random, 2) }),
  'four words': (random) => ({ q: textOf(random, 4) }),
  phrase: (random) => ({ q: `"${textOf(random, 2)}"` }),
  facets: (random) => ({ q: wordOf(random), facets: ['genre', 'year'] }),
  sort: (random) => ({ q: wordOf(random), sort: ['year:desc'] }),
  filter: (random) => ({
    q: textOf(random, 2),
    filter: `year > ${intOf(random, 1900, 2020)} AND genre = "genre ${intOf(random, 0, GENRE_COUNT - 1)}"`,
  }),
  highlight: (random) => ({ q: textOf(random, 2), attributesToHighlight: ['*'] }),
};

/** `{ kind, request }`, kinds in turn, none twice. */
export function drawNewQueries(count, seed) {
  const random = randomOf(seed);
  const kinds = Object.entries(KINDS);
  const found = new Map();
  for (let at = 0; found.size < count && at < count * DRAWS_PER_QUERY; at++) {
    const [kind, draw] = kinds[at % kinds.length];
    const request = { ...draw(random), limit: 20 };
    const key = JSON.stringify(request);
    if (!found.has(key)) found.set(key, { kind, request });
  }
  return [...found.values()];
}
