import { type Fields, optional, type Parser, readFields, wrongValue } from '../reading/fields.js';
import { boolean, integer, mapOf, oneOf, positiveInteger } from '../reading/values.js';
import { stringSet } from './attribute-values.js';

/** Parser of a settings object: unknown members have the code of the setting itself. */
function objectOf<F extends Fields>(fields: F): Parser<Record<string, unknown>> {
  return (value, { code, path }) => readFields(value, fields, { unknownCode: code }, path) as Record<string, unknown>;
}

const TYPO = 'invalid_settings_typo_tolerance';
const wordSize: Parser<number> = (value, where) => {
  const size = integer(value, where);
  if (size > 255) throw wrongValue(where, 'a word size is at most 255.');
  return size;
};
const wordSizes: Parser<Record<string, unknown>> = (value, where) => {
  const sizes = readFields(
    value,
    { oneTypo: optional(TYPO, wordSize), twoTypos: optional(TYPO, wordSize) },
    { unknownCode: TYPO },
    where.path,
  );
  const { oneTypo, twoTypos } = sizes;
  if (typeof oneTypo === 'number' && typeof twoTypos === 'number' && oneTypo > twoTypos)
    throw wrongValue(where, `\`oneTypo\` (${oneTypo}) must not be greater than \`twoTypos\` (${twoTypos}).`);
  return sizes;
};
export const typoTolerance = objectOf({
  enabled: optional(TYPO, boolean),
  minWordSizeForTypos: optional(TYPO, wordSizes),
  disableOnWords: optional(TYPO, stringSet),
  disableOnAttributes: optional(TYPO, stringSet),
  disableOnNumbers: optional(TYPO, boolean),
});

const FACETING = 'invalid_settings_faceting';
export const faceting = objectOf({
  maxValuesPerFacet: optional(FACETING, integer),
  sortFacetValuesBy: optional(FACETING, mapOf(oneOf('alpha', 'count'))),
});

export const pagination = objectOf({ maxTotalHits: optional('invalid_settings_pagination', positiveInteger) });
