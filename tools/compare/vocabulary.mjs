/**
 * An invented language: few enough words that they recur in documents, and related in the ways that searches handle:
 * one letter different, one the prefix of another, two joined into one, digits, capitals, accents.
 */
const ONSETS = ['b', 'br', 'd', 'f', 'g', 'gr', 'h', 'k', 'l', 'm', 'n', 'p', 'pl', 'r', 's', 'st', 't', 'v', 'w', 'z'];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ea', 'ou'];
const CODAS = ['', '', '', 'n', 'r', 's', 't', 'll', 'nd', 'ck'];
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ACCENTED = { a: 'à', e: 'é', i: 'ï', o: 'ö', u: 'ü', n: 'ñ' };

/** Words, the frequent ones first. */
export function makeVocabulary(random, size = 160) {
  const words = [];
  while (words.length < size) {
    const kin = words.length < 10 ? 'new' : random.pick(['new', 'new', 'typo', 'longer', 'joined', 'number', 'short']);
    const word = makeWord(random, kin, words);
    if (!words.includes(word)) words.push(word);
  }
  return words;
}

function makeWord(random, kin, words) {
  switch (kin) {
    case 'typo':
      return withTypo(random, random.pick(words));
    case 'longer':
      return random.pick(words) + random.pick(['s', 'ing', 'er', 'ness', syllable(random)]);
    case 'joined':
      return random.pick(words) + random.pick(words);
    case 'number':
      return String(random.pick([random.below(10), random.below(3000), random.between(10_000, 99_999)]));
    case 'short':
      return random.pick(VOWELS).slice(0, 1) + random.pick(['', 'n', 't', 's']);
    default:
      return Array.from({ length: random.pick([1, 2, 2, 3, 4]) }, () => syllable(random)).join('');
  }
}

const syllable = (random) => random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);

/** One letter inserted, deleted, replaced or swapped with the next. */
export function withTypo(random, word) {
  const at = random.below(word.length);
  const letter = LETTERS[random.below(LETTERS.length)];
  const [before, here, after] = [word.slice(0, at), word[at], word.slice(at + 1)];
  switch (random.below(4)) {
    case 0:
      return before + letter + here + after;
    case 1:
      return word.length > 1 ? before + after : word;
    case 2:
      return before + letter + after;
    default:
      return before + after.slice(0, 1) + here + after.slice(1);
  }
}

/** A text of `count` words with some capitals, accents and punctuation. */
export function makeText(random, words, count) {
  let text = '';
  for (let at = 0; at < count; at++) {
    let word = random.pickEarly(words);
    if (random.chance(0.1)) word = word[0].toUpperCase() + word.slice(1);
    if (random.chance(0.03)) word = [...word].map((letter) => ACCENTED[letter] ?? letter).join('');
    text += word;
    if (at === count - 1) break;
    text += random.chance(0.85) ? ' ' : random.pick([', ', '. ', '-', "'", ' - ', '! ', ': ', '_', ' & ', '/']);
  }
  return text;
}
