import { type Kind, wrongValue } from './fields.js';
import { kindOf } from './kinds.js';
import { string } from './values.js';

/** Every language that a client may name, by two letters and three. */
const PAIRS =
  'af/afr ak/aka am/amh ar/ara az/aze be/bel bn/ben bg/bul ca/cat cs/ces da/dan de/deu el/ell en/eng eo/epo et/est fi/fin ' +
  'fr/fra gu/guj he/heb hi/hin hr/hrv hu/hun hy/hye id/ind it/ita jv/jav ja/jpn kn/kan ka/kat km/khm ko/kor la/lat lv/lav ' +
  'lt/lit ml/mal mr/mar mk/mkd my/mya ne/nep nl/nld nb/nob or/ori pa/pan fa/pes pl/pol pt/por ro/ron ru/rus si/sin sk/slk ' +
  'sl/slv sn/sna es/spa sr/srp sv/swe ta/tam te/tel tl/tgl th/tha tk/tuk tr/tur uk/ukr ur/urd uz/uzb vi/vie yi/yid zh/zho zu/zul';

const threeLetters = new Map<string, string>([['cmn', 'cmn']]);
for (const pair of PAIRS.split(' ')) {
  const [two, three] = pair.split('/') as [string, string];
  threeLetters.set(two, three).set(three, three);
}

/** Accepted codes, for error messages. */
export const LOCALE_CODES: readonly string[] = [...threeLetters.keys()];

/** The three-letter code of a locale in either form, or undefined when it is unknown. */
export function toThreeLetterLocale(code: string): string | undefined {
  return threeLetters.get(code);
}

/** A language by a code of the table, as sent. */
const parseLocale: Kind<string>['parse'] = (value, where) => {
  const code = string(value, where);
  if (toThreeLetterLocale(code) === undefined)
    throw wrongValue(where, `the locale \`${code}\` is unknown; known are ${LOCALE_CODES.join(', ')}.`);
  return code;
};
export const locale: Kind<string> = kindOf(
  parseLocale,
  { id: 'Locale', type: 'string', enum: LOCALE_CODES, description: 'A language, by two letters or three.' },
  'a language code; the message lists them',
);
