import { type ErrorCode, MAX_SETTING_ATTRIBUTES } from '@fossick/base';
import {
  allowing,
  choice,
  count,
  described,
  flag,
  type Kind,
  mapOf,
  objectOf,
  optional,
  type Parser,
  parsers,
  positive,
  shown,
  wrongValue,
} from '@fossick/base/contract';
import type { Faceting, TypoTolerance } from '../setting-types.js';
import { attributeSet, longSet } from './attribute-values.js';

export const DEFAULT_TYPO_TOLERANCE: TypoTolerance = {
  enabled: true,
  minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
  disableOnWords: [],
  disableOnAttributes: [],
  disableOnNumbers: false,
};
const parseSize: Parser<number> = (value, where) => {
  const size = parsers.integer(value, where);
  if (size > 255) throw wrongValue(where, 'a word size is at most 255.');
  return size;
};
const wordSize = (says: string): Kind<number> => ({ ...shown(count(says), { maximum: 255 }), parse: parseSize });
const { oneTypo, twoTypos } = DEFAULT_TYPO_TOLERANCE.minWordSizeForTypos;

/** Members of `typoTolerance` that do not depend on how documents are indexed, with the code of the setting or of the request. */
export function typoMembers(code: ErrorCode) {
  const sizes = objectOf({
    oneTypo: optional(code, wordSize('Characters from which on one is allowed.'), oneTypo),
    twoTypos: optional(code, wordSize('And two.'), twoTypos),
  });
  const wordSizes: typeof sizes = {
    ...sizes,
    parse: (value, where) => {
      const given = sizes.parse(value, where);
      const { oneTypo, twoTypos } = given;
      if (typeof oneTypo === 'number' && typeof twoTypos === 'number' && oneTypo > twoTypos)
        throw wrongValue(where, `\`oneTypo\` (${oneTypo}) must not be greater than \`twoTypos\` (${twoTypos}).`);
      return given;
    },
  };
  return {
    enabled: optional(code, flag('Whether words may have typos.'), DEFAULT_TYPO_TOLERANCE.enabled),
    minWordSizeForTypos: optional(code, wordSizes),
    disableOnNumbers: optional(code, flag('Numbers are taken as they are.'), DEFAULT_TYPO_TOLERANCE.disableOnNumbers),
  };
}

const TYPO = 'invalid_settings_typo_tolerance';
const { disableOnNumbers, ...otherTypoMembers } = typoMembers(TYPO);
export const typoTolerance = allowing(
  objectOf(
    {
      ...otherTypoMembers,
      disableOnWords: optional(TYPO, longSet('Words that are taken as they are.')),
      disableOnAttributes: optional(TYPO, attributeSet('Attributes in which words are taken as they are.')),
      disableOnNumbers,
    },
    { says: 'Where words may have typos.' },
  ),
  'an object of its known fields; `oneTypo` not above `twoTypos`, both up to 255',
);

export const DEFAULT_FACETING: Faceting = { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } };
/** `sampledCount` may leave values out in the reference; here it is the exact order by counts. */
const FACET_ORDERS = ['alpha', 'count', 'sampledCount'] as const;
const FACETING = 'invalid_settings_faceting';
export const faceting = allowing(
  objectOf(
    {
      maxValuesPerFacet: optional(
        FACETING,
        count('Values of a facet that are counted at most.'),
        DEFAULT_FACETING.maxValuesPerFacet,
      ),
      sortFacetValuesBy: optional(
        FACETING,
        shown(mapOf(choice(FACET_ORDERS)), {
          maxProperties: MAX_SETTING_ATTRIBUTES,
          ...described(
            'Order of values, by attribute; `*` for all others. `sampledCount` is `count`: counting is exact.',
            [{ '*': 'count' }],
          ),
        }),
      ),
    },
    { says: 'How values are counted.' },
  ),
  'an object with `maxValuesPerFacet` and `sortFacetValuesBy` (`alpha`, `count` or `sampledCount`), or null',
);

export const DEFAULT_PAGINATION: { readonly maxTotalHits: number } = { maxTotalHits: 1000 };
export const pagination = allowing(
  objectOf(
    {
      maxTotalHits: optional(
        'invalid_settings_pagination',
        positive('Hits of a search in all.'),
        DEFAULT_PAGINATION.maxTotalHits,
      ),
    },
    { says: 'How far pages go.' },
  ),
  'an object with `maxTotalHits`, a positive integer, or null',
);
