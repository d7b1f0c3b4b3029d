import { type ErrorCode, MAX_NAMES } from '@fossick/base';
import {
  allowing,
  checked,
  listOf,
  objectOf,
  optional,
  type Parser,
  required,
  shown,
  text,
  textUpTo,
  wrongValue,
} from '@fossick/base/contract';
import type { HierarchicalFacet } from '../setting-types.js';

const CODE: ErrorCode = 'invalid_settings_hierarchical_facets';
const MAX_SEPARATOR_UNITS = 20;
const separator = shown(textUpTo(MAX_SEPARATOR_UNITS, 'What is between the steps of a path.', ' > '), {
  pattern: '\\S',
});
const MEMBERS = {
  attribute: required(CODE, text('Attribute whose values are paths.', 'categories'), CODE),
  separator: optional(CODE, separator, ' > '),
};
const facet = objectOf(MEMBERS, { says: 'A facet of levels.' });
const facets = listOf(facet, {
  says: 'Filterable attributes whose values are paths, `Books > Novels`, with what separates their steps.',
  maxItems: MAX_NAMES,
  examples: [[{ attribute: 'categories', separator: ' > ' }]],
});

const parse: Parser<readonly HierarchicalFacet[]> = (value, where) =>
  facets.parse(value, where).map(({ attribute, separator }, at) => {
    const between = separator ?? ' > ';
    if (between.trim() === '')
      throw wrongValue({ ...where, path: `${where.path}[${at}].separator` }, 'it needs more than space.');
    return { attribute: attribute!, separator: between };
  });

/** Attributes whose values are paths. */
export const hierarchicalFacets = allowing(
  checked(facets, parse),
  'an array of objects with `attribute` and `separator`, or null',
);
