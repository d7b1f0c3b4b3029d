/**
 * Generates film-like documents from a seed: the same seed gives the same bytes on every machine. Words follow Zipf's
 * law (the word of rank r is about r^-1 as frequent as the first), because posting lists of uniformly drawn words lack
 * the long lists and the long tail of real text.
 */

const VOCABULARY_DEFAULT_COUNT = 50_000;
const ZIPF_EXPONENT = 1.05;
const GENRES = [
  'Action',
  'Comedy',
  'Crime',
  'Documentary',
  'Drama',
  'Horror',
  'Musical',
  'Romance',
  'Silent',
  'War',
  'Western',
];
const ONSETS = [
  'b',
  'br',
  'c',
  'ch',
  'd',
  'f',
  'g',
  'gr',
  'h',
  'j',
  'k',
  'l',
  'm',
  'n',
  'p',
  'r',
  's',
  'st',
  't',
  'th',
  'v',
  'w',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou'];
const CODAS = ['', '', '', 'l', 'n', 'r', 's', 't', 'nd', 'ng'];

/** mulberry32: numbers in [0, 1), the whole state in one u32. */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns a function that makes the next document: `{ id, title, overview, year, cast, genres }`. */
export function createDocumentGenerator({ seed, vocabularyCount = VOCABULARY_DEFAULT_COUNT }) {
  const random = createRandom(seed);
  const vocabulary = makeVocabulary(vocabularyCount, random);
  const drawRank = createZipf(vocabularyCount, ZIPF_EXPONENT, random);
  const words = (count) => Array.from({ length: count }, () => vocabulary[drawRank()]);
  const between = (low, high) => low + Math.floor(random() * (high - low + 1));
  const name = () => `${capitalise(words(1)[0])} ${capitalise(words(1)[0])}`;
  let id = 0;
  return () => {
    id++;
    return {
      id,
      title: words(between(1, 5)).map(capitalise).join(' '),
      overview: Array.from({ length: between(1, 6) }, () => `${capitalise(words(between(6, 18)).join(' '))}.`).join(
        ' ',
      ),
      year: between(1900, 2025),
      cast: Array.from({ length: between(0, 6) }, name),
      genres: [GENRES[between(0, GENRES.length - 1)]],
    };
  };
}

/** Distinct pronounceable words; frequent (early) ones are short, as in any language. */
function makeVocabulary(count, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const known = new Set();
  while (known.size < count) {
    const syllableCount = 1 + Math.floor((known.size / count) ** 0.3 * 2 + random() * 2);
    let word = '';
    for (let i = 0; i < syllableCount; i++) word += pick(ONSETS) + pick(VOWELS) + pick(CODAS);
    known.add(word);
  }
  return [...known];
}

/** Draws 0-based ranks by binary search in the cumulated weights: O(log count) a draw. */
function createZipf(count, exponent, random) {
  const cumulated = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1) ** exponent;
    cumulated[rank] = sum;
  }
  return () => {
    const target = random() * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cumulated[middle] < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function capitalise(word) {
  return word[0].toUpperCase() + word.slice(1);
}
