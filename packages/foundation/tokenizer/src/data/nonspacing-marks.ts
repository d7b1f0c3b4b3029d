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
