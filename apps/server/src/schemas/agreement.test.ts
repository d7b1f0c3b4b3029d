import { type Fields, readFields, readQuery, readRenderRequest } from '@fossick/api';
import {
  additionQuery,
  chatSettingsBody,
  completionBody,
  exportBody,
  featuresBody,
  fieldsBody,
  indexCreationBody,
  indexUpdateBody,
  keyChangeBody,
  keyCreationBody,
  keysQuery,
  logStreamBody,
  metadataQuery,
  networkBody,
  pageQuery,
  renderBody,
  ruleBody,
  ruleListBody,
  statsQuery,
  stderrBody,
  swapBody,
  taskFilterQuery,
  taskListQuery,
  webhookChangeBody,
  webhookCreationBody,
} from '@fossick/api/openapi';
import { RULE_BODY, RULES_BODY } from '@fossick/instance';
import { readChatSettings, readCompletionRequest } from '@fossick/search-service/chats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { changed, valuesOf } from '../openapi/values.test-support.js';
import * as documentsWrite from '../routes/documents/documents-write.js';
import { BODY as EXPORT_BODY } from '../routes/documents/export.js';
import { FIELDS_BODY } from '../routes/indexes/index-fields.js';
import * as indexRoutes from '../routes/indexes/indexes.js';
import { FEATURES_BODY, STATS_QUERY } from '../routes/instance/health.js';
import * as keyRoutes from '../routes/instance/keys.js';
import { STDERR_BODY, STREAM_BODY } from '../routes/instance/logs.js';
import { NETWORK_BODY } from '../routes/instance/network.js';
import * as webhookRoutes from '../routes/instance/webhooks.js';
import * as taskRoutes from '../routes/tasks/tasks.js';

type Check = (value: unknown) => unknown;
const body =
  (fields: Fields): Check =>
  (value) =>
    readFields(value, fields);

/** Each body with the check of its routes. */
const BODIES: readonly (readonly [name: string, schema: z.ZodType, check: Check])[] = [
  ['index creation', indexCreationBody, body(indexRoutes.CREATION_BODY)],
  ['index update', indexUpdateBody, body(indexRoutes.UPDATE_BODY)],
  ['fields', fieldsBody, body(FIELDS_BODY)],
  ['key creation', keyCreationBody, body(keyRoutes.CREATION_BODY)],
  ['key change', keyChangeBody, body(keyRoutes.CHANGE_BODY)],
  ['webhook creation', webhookCreationBody, body(webhookRoutes.CREATION_BODY)],
  ['webhook change', webhookChangeBody, body(webhookRoutes.CHANGE_BODY)],
  ['features', featuresBody, body(FEATURES_BODY)],
  ['log stream', logStreamBody, body(STREAM_BODY)],
  ['stderr', stderrBody, body(STDERR_BODY)],
  ['network', networkBody, body(NETWORK_BODY)],
  ['export', exportBody, body(EXPORT_BODY)],
  ['render', renderBody, readRenderRequest],
  ['chat settings', chatSettingsBody, readChatSettings],
  ['completion', completionBody, readCompletionRequest],
  ['rule', ruleBody, body(RULE_BODY)],
  ['rule list', ruleListBody, body(RULES_BODY)],
  ['swap', swapBody, indexRoutes.readSwaps],
];
/** What a check knows beyond the types: the schema lets it pass. */
const BEYOND: Readonly<Record<string, RegExp>> = {
  swap: /takes part twice/,
  render: /of kind `/,
};
/** Each query with the table of its routes. */
const QUERIES: readonly (readonly [name: string, schema: z.ZodObject, fields: Fields])[] = [
  ['addition', additionQuery, documentsWrite.ADDITION_QUERY],
  ['metadata', metadataQuery, documentsWrite.METADATA_QUERY],
  ['page of indexes', pageQuery, indexRoutes.PAGE_QUERY],
  ['page of keys', keysQuery, keyRoutes.PAGE_QUERY],
  ['stats', statsQuery, STATS_QUERY],
  ['tasks', taskListQuery, taskRoutes.LIST_QUERY],
  ['task filters', taskFilterQuery, taskRoutes.FILTER_QUERY],
];

const seed = Number(process.env['FOSSICK_TEST_SEED'] ?? Date.now() % 1e9);
console.log(`schemas and checks: seed ${seed}`);
const RUNS = 120;

/** Null when the check takes the value, else what it says. */
function refusal(check: Check, value: unknown): string | null {
  try {
    check(value);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(BODIES)('the body of %s', (name, schema, check) => {
  const beyond = BEYOND[name];
  const isTaken = (value: unknown): { readonly taken: boolean; readonly why: string | null } => {
    const why = refusal(check, value);
    return { taken: why === null || beyond?.test(why) === true, why };
  };
  it('is taken by the check whenever the schema takes it', () => {
    fc.assert(
      fc.property(valuesOf(schema), (value) => {
        const { taken, why } = isTaken(value);
        if (!taken) throw new Error(`${JSON.stringify(value)}: ${why}`);
      }),
      { seed, numRuns: RUNS },
    );
  });
  it('is refused by both or by none when a place in it is changed', () => {
    fc.assert(
      fc.property(
        valuesOf(schema),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (value, stream) => {
          const given = changed(value, () => stream.next().value as number);
          const { taken, why } = isTaken(given);
          const described = schema.safeParse(given).success;
          if (described !== taken)
            throw new Error(`${JSON.stringify(given)}: schema ${described}, check ${why ?? 'takes it'}`);
        },
      ),
      { seed, numRuns: 3 * RUNS },
    );
  });
});

describe.each(QUERIES)('the query of %s', (_name, schema, fields) => {
  const textOf = (value: unknown): string =>
    Array.isArray(value) ? value.join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const queryOf = (value: Record<string, unknown>): string =>
    new URLSearchParams(
      Object.entries(value)
        // a query has neither null nor lists of nothing
        .filter(([, member]) => member !== null && !(Array.isArray(member) && member.length === 0))
        .map(([name, member]) => [name, textOf(member)]),
    ).toString();
  it('has the parameters that the check knows', () => {
    expect(Object.keys(schema.shape).sort()).toEqual(Object.keys(fields).sort());
  });
  it('is taken by the check whenever the schema takes it', () => {
    fc.assert(
      fc.property(valuesOf(schema), (value) => {
        const why = refusal((text) => readQuery(text as string, fields), queryOf(value as Record<string, unknown>));
        if (why !== null) throw new Error(`${JSON.stringify(value)}: ${why}`);
      }),
      { seed, numRuns: RUNS },
    );
  });
  it('is refused by the check when a number, a switch or a word is none', () => {
    for (const [name, member] of Object.entries(schema.shape)) {
      const isTextual = (member as z.ZodType).safeParse('of another kind').success;
      const isList = (member as z.ZodType).safeParse(['of another kind']).success;
      if (isTextual || isList) continue;
      const why = refusal((text) => readQuery(text as string, fields), `${name}=of%20another%20kind`);
      expect([name, why === null]).toEqual([name, false]);
    }
  });
});
