import { ApiError } from '@fossick/base';
import { checkTemplate } from '@fossick/documents/templates';

import { type Fields, optional, type Parser, readFields, required, wrongValue } from '../reading/fields.js';
import { integer, oneOf, positiveInteger, share, string, strings } from '../reading/values.js';

const CODE = 'invalid_settings_index_chat';
const DEFAULT_SEMANTIC_RATIO = 0.5;

function objectOf<F extends Fields>(fields: F): Parser<Record<string, unknown>> {
  return (value, { path }) => readFields(value, fields, { unknownCode: CODE }, path) as Record<string, unknown>;
}

const hybridFields = objectOf({ embedder: required(CODE, string, CODE), semanticRatio: optional(CODE, share) });
const hybrid: Parser<Record<string, unknown>> = (value, where) => {
  const { embedder, semanticRatio } = hybridFields(value, where);
  return { embedder, semanticRatio: semanticRatio ?? DEFAULT_SEMANTIC_RATIO };
};

const documentTemplate: Parser<string> = (value, where) => {
  const text = string(value, where);
  try {
    checkTemplate(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw wrongValue({ code: 'invalid_chat_setting_document_template', path: where.path }, error.message);
  }
  return text;
};

/** The `chat` setting of an index. A size of zero has the error code of embedders. */
export const chat = objectOf({
  description: optional(CODE, string),
  documentTemplate: optional(CODE, documentTemplate),
  documentTemplateMaxBytes: optional(CODE, (value, where) =>
    positiveInteger(value, value === 0 ? { code: 'invalid_settings_embedders', path: where.path } : where),
  ),
  searchParameters: optional(
    CODE,
    objectOf({
      hybrid: optional(CODE, hybrid),
      limit: optional(CODE, integer),
      sort: optional(CODE, strings),
      distinct: optional(CODE, string),
      matchingStrategy: optional(CODE, oneOf('last', 'all', 'frequency')),
      attributesToSearchOn: optional(CODE, strings),
      rankingScoreThreshold: optional(CODE, share),
    }),
  ),
});
