/** Scripts that make a group of their own, and Other for all the rest. */
export type Script =
  | 'other' | 'latin' | 'cyrillic' | 'arabic' | 'devanagari' | 'hebrew' | 'ethiopic' | 'georgian' | 'bengali' | 'hangul'
  | 'cj' | 'greek' | 'kannada' | 'tamil' | 'thai' | 'gujarati' | 'gurmukhi' | 'telugu' | 'malayalam' | 'oriya' | 'myanmar'
  | 'sinhala' | 'khmer' | 'lao' | 'tibetan' | 'armenian';

export const HIRAGANA_RANGES = '3040-309F';
export const KATAKANA_RANGES = '30A0-30FF';
export const HAN_RANGES =
  '2E80-2E99 2E9B-2EF3 2F00-2FD5 3005 3007 3021-3029 3038-303B 3400-4DB5 4E00-9FCC F900-FA6D FA70-FAD9';

/** In order of precedence: where two ranges overlap, the first one has the code point. */
export const SCRIPT_RANGES: readonly (readonly [Script, string])[] = [
  ['latin', '0041-005A 0061-007A 0080-02AF 1D00-1DBF 1E00-1EFF 2100-214F 2C60-2C7F A720-A7FF AB30-AB6F'],
  ['cyrillic', '0400-0484 0487-052F 2DE0-2DFF A640-A69D A69F'],
  ['arabic', '0600-06FF 0750-07FF 08A0-08FF FB50-FDFF FE70-FEFF 10E60-10E7F 1EE00-1EEFF'],
  ['devanagari', '0900-097F 1CD0-1CFF A8E0-A8FF'],
  ['hebrew', '0590-05FF'],
  ['ethiopic', '1200-139F 2D80-2DDF AB00-AB2F'],
  ['georgian', '10A0-10FF'],
  ['bengali', '0980-09FF'],
  ['hangul', '1100-11FF 3130-318F A960-A97F AC00-D7AF D7B0-D7FF'],
  ['cj', `${HIRAGANA_RANGES} ${KATAKANA_RANGES} ${HAN_RANGES}`],
  ['greek', '0370-03FF'],
  ['kannada', '0C80-0CFF'],
  ['tamil', '0B80-0BFF'],
  ['thai', '0E00-0E7F'],
  ['gujarati', '0A80-0AFF'],
  ['gurmukhi', '0A00-0A7F'],
  ['telugu', '0C00-0C7F'],
  ['malayalam', '0D00-0D7F'],
  ['oriya', '0B00-0B7F'],
  ['myanmar', '1000-109F'],
  ['sinhala', '0D80-0DFF'],
  ['khmer', '1780-17FF 19E0-19FF'],
  // next to Thai they are not cut as Thai
  ['lao', '0E80-0EFF'],
  ['tibetan', '0F00-0FFF'],
];

/** Armenian makes no group of its own, but a group may turn out to be Armenian. */
export const ARMENIAN_RANGES = '0530-058F FB13-FB17';
