import { ApiError, MAX_NAMES } from '@fossick/base';
import {
  allowing,
  checked,
  completing,
  count,
  type Kind,
  listOf,
  mapped,
  objectOf,
  optional,
  type Parser,
  parsers,
  positive,
  share,
  text,
  wrongValue,
} from '@fossick/base/contract';
import { checkTemplate } from '@fossick/documents/templates';
import { hybridMembers, matchingStrategy } from './search-values.js';
import { template } from './template-value.js';

const CODE = 'invalid_settings_index_chat';
const HYBRID = hybridMembers(CODE, CODE, CODE);

const parseTemplate: Parser<string> = (value, where) => {
  const given = parsers.string(value, where);
  try {
    checkTemplate(given);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw wrongValue({ code: 'invalid_chat_setting_document_template', path: where.path }, error.message);
  }
  return given;
};
/** A size of zero has the error code of embedders. */
const templateBytes: Kind<number> = {
  ...positive('Bytes of that text at most.'),
  parse: (value, where) =>
    parsers.positiveInteger(value, value === 0 ? { code: 'invalid_settings_embedders', path: where.path } : where),
};
/** Requests are checked for the limit before: databases of earlier releases may hold longer lists. */
const names = (says: string, ...items: readonly string[]): Kind<readonly string[]> => ({
  ...listOf(text(''), { says, maxItems: MAX_NAMES, ...(items.length === 0 ? {} : { examples: [items] }) }),
  parse: parsers.strings,
});

/** How a conversation searches an index; absent members are as in any search. In the order of answers. */
export const CHAT_SEARCH_PARAMETERS = {
  hybrid: optional(CODE, mapped(objectOf(HYBRID), completing(HYBRID))),
  limit: optional(CODE, count('Hits at most.')),
  sort: optional(CODE, names('Attributes to sort by.', 'year:desc')),
  distinct: optional(CODE, text('Attribute of which each value is shown once.')),
  matchingStrategy: optional(CODE, matchingStrategy),
  attributesToSearchOn: optional(CODE, names('Attributes to search in.')),
  rankingScoreThreshold: optional(CODE, share('Hits below are left out.')),
};
/** The `chat` setting of an index. */
export const chat = allowing(
  objectOf(
    {
      description: optional(CODE, text('What the index holds, for the model.')),
      documentTemplate: optional(CODE, checked(template, parseTemplate)),
      documentTemplateMaxBytes: optional(CODE, templateBytes),
      searchParameters: optional(CODE, objectOf(CHAT_SEARCH_PARAMETERS)),
    },
    { says: 'How conversations search the index. Needs the feature `chatCompletions`.' },
  ),
  'an object with `description`, `documentTemplate`, `documentTemplateMaxBytes`, `searchParameters`, or null',
);
