/**
 * Latin letters that do not decompose, in lower case, by what they are typed as on a keyboard without them. Searching has to find them by that,
 * and their languages have other letters of the kind that do decompose (å, č, ş), so that keeping these would make a difference without reason.
 *
 * - Strokes and bars: the letter below. `ø` (Danish, Norwegian), `ł` (Polish), `đ` (Croatian, Vietnamese), `ħ` (Maltese), `ŧ` and `ŋ` (Sámi).
 * - Ligatures: their letters. `æ`, `œ`; those of medieval print and of phonetics.
 * - `ß` is ss, `þ` is th, as both are transcribed; `ð` is d, which it is typed as (dh is rare).
 * - `ı` is i: its capital is that of i. `ĸ` is q, which replaced it in 1973.
 * - Hooks and tails of African languages and of phonetics (`ɓ`, `ɗ`, `ƙ`, `ƴ`): the letter below, as without a keyboard for them.
 *
 * Kept are letters that nobody types as another one: `ə`, `ɛ`, `ɔ`, `ʒ`, `ƿ`, and clicks.
 */
export const LATIN_LETTERS: Readonly<Record<string, string>> = {
  a: 'ⱥᶏ',
  aa: 'ꜳ',
  ae: 'æ',
  ao: 'ꜵ',
  au: 'ꜷ',
  av: 'ꜹꜻ',
  ay: 'ꜽ',
  b: 'ƀɓƃᵬꞗ',
  c: 'ȼƈꞓꞔ',
  d: 'đðɗɖƌᵭȡ',
  db: 'ȸ',
  dz: 'ʣ',
  e: 'ɇ',
  f: 'ƒᵮꞙ',
  g: 'ǥɠꞡ',
  h: 'ħⱨɦ',
  i: 'ıɨᵼ',
  j: 'ɉȷ',
  k: 'ƙⱪꝁꝃꝅꞣ',
  l: 'łƚⱡɫꝉ',
  m: 'ɱᵯ',
  n: 'ŋɲƞꞥᵰꞑ',
  o: 'øɵꝋꝍ',
  oe: 'œ',
  oo: 'ꝏ',
  ou: 'ȣ',
  p: 'ƥᵽꝑꝓꝕ',
  q: 'ĸɋꝗꝙ',
  qp: 'ȹ',
  r: 'ɍɽꞧꝛᵲᵳ',
  s: 'ꞩȿᵴ',
  ss: 'ß',
  t: 'ŧƭʈƫⱦᵵ',
  th: 'þꝥꝧ',
  ts: 'ʦ',
  tz: 'ꜩ',
  u: 'ʉᵾ',
  ue: 'ᵫ',
  v: 'ʋꝟ',
  vy: 'ꝡ',
  w: 'ⱳ',
  y: 'ɏƴ',
  z: 'ƶȥɀⱬᵶ',
};

/**
 * Marks that a word is found without, as inclusive hexadecimal ranges. Which marks are letters to a language is decided by script:
 *
 * - accents of Latin, Greek and Cyrillic (0300-036F and their later blocks, titlos and letters above) are dropped, except where
 *   `LETTER_MARKS` says that base and mark are a letter of an alphabet;
 * - points of Hebrew, Arabic and Syriac are dropped: they are written in some books and left out everywhere else;
 * - vowels and tones above and below Thai letters are dropped, as the specification asks;
 * - kept are vowel signs, viramas and nuktas of Indic scripts, Myanmar, Khmer, Lao, Tibetan and Thaana, and the sound marks of kana:
 *   words are not written without them, and another sign is another word.
 */
export const NONSPACING_MARK_RANGES = `
0300-036F 0483-0487 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0610-061A 064B-065F 0670 06D6-06DC 06DF-06E4 06E7-06E8
06EA-06ED 0730-074A 08CA-08E1 08E3-08FF 0E31 0E34-0E3A 0E47-0E4E 1AB0-1ABD 1ABF-1AFF 1DC0-1DFF 20D0-20DC 20E1
20E5-20F0 2DE0-2DFF A66F A674-A67D A69E-A69F FB1E FE20-FE2F
`;

/**
 * Cyrillic letters that decompose, and that readers do not take for their base: base and mark, both in lower case. These are letters of
 * the alphabets of Russian, Bulgarian, Ukrainian (й), Belarusian (ў), Ukrainian (ї) and Macedonian (ѓ, ќ), with keys of their own. Not among
 * them are ё, which is mostly written е; ѐ and ѝ, which carry a stress; and letters of languages that are typed on Russian keyboards
 * without them (ӑ, ӗ, ӓ, ӧ, ӱ, ӝ, ӟ, ӥ, ӵ, ӣ, ӯ).
 */
export const LETTER_MARKS: ReadonlySet<string> = new Set(['и\u0306', 'у\u0306', 'і\u0308', 'г\u0301', 'к\u0301']);
