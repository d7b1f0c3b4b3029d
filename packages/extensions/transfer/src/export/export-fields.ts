import { INDEX_PATTERN, isIndexPattern, parseByteSize } from '@fossick/api';
import { type Json, setOwn } from '@fossick/base';
import {
  checked,
  completing,
  described,
  exampleText,
  flag,
  type Kind,
  kindOf,
  mapped,
  nullable,
  objectOf,
  optional,
  type Parser,
  parsers,
  text,
  wrongType,
  wrongValue,
} from '@fossick/base/contract';
import { filter } from '@fossick/settings/parameters';

const parseSize: Parser<number> = (value, where) => {
  const bytes = typeof value === 'string' ? parseByteSize(value) : value;
  if (typeof value !== 'string' && typeof value !== 'number') throw wrongType(where, 'a size', value);
  if (typeof bytes !== 'number' || !Number.isInteger(bytes) || bytes <= 0)
    throw wrongValue(where, `\`${value}\` is not a size; write 25165824 or 24MiB.`);
  return bytes;
};
const byteSize = kindOf(
  parseSize,
  {
    anyOf: [
      { type: 'integer', minimum: 1 },
      { type: 'string', pattern: '^\\d+ ?[KMG]iB$' },
    ],
    ...described('Bytes of a request at most.', ['24MiB', 25_165_824]),
    'x-only-examples': true,
  },
  'bytes as a number, or as text with a unit',
);

const INDEX_RULE = {
  // the instance that runs the export reads the filter
  filter: optional('invalid_export_index_filter', checked(filter, parsers.anything as Parser<Json>)),
  overrideSettings: optional(
    'invalid_export_index_override_settings',
    flag('Send settings to an index that is there.'),
    false,
  ),
};
/** Which documents of an index are sent, and whether its settings replace those that are there. */
export type ExportRule = { readonly filter: Json; readonly overrideSettings: boolean };
const indexRule: Kind<ExportRule> = mapped(objectOf(INDEX_RULE, { hasPlainCode: true }), completing(INDEX_RULE));

const parseRules: Parser<Readonly<Record<string, ExportRule>>> = (value, where) => {
  const rules: Record<string, ExportRule> = {};
  for (const [pattern, rule] of Object.entries(parsers.object(value, where))) {
    if (pattern !== '' && !isIndexPattern(pattern))
      throw wrongValue(where, `\`${pattern}\` is neither an index uid nor the beginning of one with a \`*\` after it.`);
    setOwn(rules, pattern, indexRule.parse(rule ?? {}, { ...where, path: `${where.path}.${pattern}` }));
  }
  return rules;
};
const indexRules = kindOf(
  parseRules,
  {
    type: 'object',
    propertyNames: { type: 'string', pattern: INDEX_PATTERN },
    additionalProperties: nullable(indexRule).schema,
    ...described('Which indexes, by names or beginnings with `*`.', [{ '*': {} }]),
    'x-only-examples': true,
  },
  'an object of index uids or patterns, each with an object or null',
);

/** Body of an export. The default of `payloadSize` depends on the options of the instance. */
export const EXPORT_BODY = {
  url: optional('invalid_export_url', exampleText('Address of the other instance.', 'http://127.0.0.1:1')),
  apiKey: optional('invalid_export_api_key', text('Key that writes there.')),
  payloadSize: optional('invalid_export_payload_size', byteSize),
  indexes: optional('bad_request', indexRules, { '*': { filter: null, overrideSettings: false } }),
};
