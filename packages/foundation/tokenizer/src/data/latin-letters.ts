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
