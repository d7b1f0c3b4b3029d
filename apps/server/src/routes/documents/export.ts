import {
  anything,
  boolean,
  maskSecret,
  object,
  optional,
  type Parser,
  readFields,
  string,
  wrongType,
  wrongValue,
} from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import { isIndexUid, setOwn } from '@fossick/base';
import { formatByteSize, parseByteSize } from '@fossick/instance';
import { authorize, type ServerContext } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';
import { register } from '../../tasks-wire.js';

/**
 * The default payload size is this much below what this instance itself accepts, and payloads are never smaller than
 * this.
 */
const MARGIN_BYTES = 2 ** 20;
const PAYLOAD_BYTES_MIN = 20 * 2 ** 20;

const payloadSize: Parser<number> = (value, where) => {
  const bytes = typeof value === 'string' ? parseByteSize(value) : value;
  if (typeof value !== 'string' && typeof value !== 'number') throw wrongType(where, 'a size', value);
  if (typeof bytes !== 'number' || !Number.isInteger(bytes) || bytes <= 0)
    throw wrongValue(where, `\`${value}\` is not a size; write 25165824 or 24MiB.`);
  return bytes;
};
const INDEX_RULE = {
  filter: optional('invalid_export_index_filter', anything),
  overrideSettings: optional('invalid_export_index_override_settings', boolean),
};
const indexRules: Parser<Record<string, JsonObject>> = (value, where) => {
  const rules: Record<string, JsonObject> = {};
  for (const [pattern, rule] of Object.entries(object(value, where))) {
    const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
    if (prefix !== '' && !isIndexUid(prefix))
      throw wrongValue(
        where,
        `\`${pattern}\` is neither an index uid nor the beginning of one with a \`*\` behind it.`,
      );
    const path = `${where.path}.${pattern}`;
    const { filter, overrideSettings } = readFields(rule ?? {}, INDEX_RULE, {}, path);
    setOwn(rules, pattern, {
      filter: (filter ?? null) as JsonObject | null,
      overrideSettings: overrideSettings ?? false,
    });
  }
  return rules;
};
export const BODY = {
  url: optional('invalid_export_url', string),
  apiKey: optional('invalid_export_api_key', string),
  payloadSize: optional('invalid_export_payload_size', payloadSize),
  indexes: optional('bad_request', indexRules),
};

/** Sending indexes to another instance. */
export function registerExport(router: Router, context: ServerContext): void {
  const limitBytes = context.options.payloadLimitBytes;
  router.on('POST', '/export', async (request, reply) => {
    authorize(context, request, 'export');
    const body = readFields(await readJson(request, context.options.readLimitBytes), BODY);
    const apiKey = body.apiKey ?? null;
    const wished = body.payloadSize ?? null;
    const content = {
      type: 'export' as const,
      url: body.url ?? '',
      apiKey,
      shownApiKey: apiKey === null ? null : maskSecret(apiKey),
      payloadSize: wished === null ? null : formatByteSize(wished),
      payloadBytes: wished ?? Math.max(PAYLOAD_BYTES_MIN, limitBytes - MARGIN_BYTES),
      indexes: body.indexes ?? { '*': { filter: null, overrideSettings: false } },
    };
    return register(context, reply, content, 200);
  });
}
