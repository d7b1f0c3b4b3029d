import {
  MAX_LOCALE_PATTERNS,
  MAX_NAMES,
  MAX_RANKING_RULES,
  MAX_SETTING_ATTRIBUTES,
  MAX_SETTING_WORDS,
  MAX_TEMPLATE_COUNT,
  MAX_TEMPLATE_UNITS,
  MAX_TEMPLATES_UNITS,
} from '@fossick/base';
import { DEFAULT_SETTINGS, RANKING_RULES } from '@fossick/settings';
import { z } from 'zod';
import { LOCALE_CODES } from '../../reading/locales.js';
import { SETTINGS_TABLE } from '../../settings/settings-table.js';
import { SUMMARIZED_TASK, summarizedTask } from './answers.js';
import {
  anyObject,
  codesOf,
  count,
  exampleText,
  flag,
  names,
  namesUpTo,
  type Operation,
  opt,
  preset,
  share,
  text,
} from './operation.js';

const positive = (says: string): z.ZodNumber => z.int().min(1).meta({ description: says });
const pattern = names('Names of attributes, or patterns with `*`.', 'title', 'cast*');
/** Lists of attributes have limits (packages/service/api/src/settings/setting-limits.ts). */
const attributes = (says: string, ...example: readonly string[]): z.ZodArray<z.ZodString> =>
  namesUpTo(MAX_SETTING_ATTRIBUTES, says, ...example);
const wordSize = (says: string): z.ZodNumber => z.int().min(0).max(255).meta({ description: says });
const filterable = z
  .array(
    z.union([
      z.string(),
      z.strictObject({
        attributePatterns: pattern,
        features: z
          .strictObject({
            facetSearch: z.boolean().optional().meta({ description: 'Its values can be searched.', default: false }),
            filter: z
              .strictObject({
                equality: z.boolean().optional().meta({ description: '`=`, `!=`, `IN` and the like.', default: true }),
                comparison: z
                  .boolean()
                  .optional()
                  .meta({ description: '`<`, `>=`, `TO` and the like.', default: false }),
              })
              .optional(),
          })
          .optional(),
      }),
    ]),
  )
  .max(MAX_SETTING_ATTRIBUTES)
  .meta({
    description: `Attributes to filter by and to count values of, or patterns with what they can; ${MAX_SETTING_ATTRIBUTES} patterns in all.`,
    examples: [['genres', 'year']],
  });
const typoTolerance = z.strictObject({
  enabled: preset(flag('Whether words may have typos.'), true),
  minWordSizeForTypos: opt(
    z
      .strictObject({
        oneTypo: preset(wordSize('Characters from which on one is allowed.'), 5),
        twoTypos: preset(wordSize('And two.'), 9),
      })
      .refine(
        ({ oneTypo, twoTypos }) => typeof oneTypo !== 'number' || typeof twoTypos !== 'number' || oneTypo <= twoTypos,
      ),
  ),
  disableOnWords: opt(namesUpTo(MAX_SETTING_WORDS, 'Words that are taken as they are.')),
  disableOnAttributes: opt(attributes('Attributes in which words are taken as they are.')),
  disableOnNumbers: preset(flag('Numbers are taken as they are.'), false),
});
const faceting = z.strictObject({
  maxValuesPerFacet: preset(count('Values of a facet that are counted at most.'), 100),
  sortFacetValuesBy: opt(
    z.record(z.string(), z.enum(['alpha', 'count'])).meta({
      description: 'Order of values, by attribute; `*` for all others.',
      examples: [{ '*': 'count' }],
      maxProperties: MAX_SETTING_ATTRIBUTES,
    }),
  ),
});
const fragments = opt(
  z.record(z.string(), z.strictObject({ value: z.unknown() }).nullable()).meta({
    description:
      'Parts of a document, or of a query, that are embedded. Their texts are templates, and have the limits of `documentTemplate`.',
  }),
);
const url = exampleText('Where the provider answers.', 'https://api.example.com/embed');
const template = z
  .string()
  .max(MAX_TEMPLATE_UNITS)
  .meta({
    description:
      `Text that is embedded for a document, in Liquid. At most ${MAX_TEMPLATE_UNITS} characters, ${MAX_TEMPLATES_UNITS} ` +
      `in all ${MAX_TEMPLATE_COUNT} templates that an index may have.`,
    examples: ['{{doc.title}}'],
    'x-only-examples': true,
  });
const EMBEDDER = {
  source: preset(
    z
      .enum(['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'])
      .meta({ description: 'Who makes the vectors.' }),
    'openAi',
  ),
  model: opt(text('Name of the model.')),
  revision: opt(text('Revision of the model.')),
  pooling: opt(z.enum(['useModel', 'forceMean', 'forceCls'])),
  apiKey: opt(text('Key of the provider. Answers hide it.')),
  dimensions: opt(positive('Numbers of a vector.')),
  binaryQuantized: opt(flag('Keep one bit of each number. It cannot be undone.')),
  documentTemplate: opt(template),
  documentTemplateMaxBytes: opt(positive('Bytes of that text at most.')),
  url: opt(url),
  indexingFragments: fragments,
  searchFragments: fragments,
  request: opt(z.unknown().meta({ description: 'How a request to a `rest` source looks.' })),
  response: opt(z.unknown().meta({ description: 'How its answer looks.' })),
  headers: opt(z.record(z.string(), z.string()).meta({ description: 'Headers of the requests.' })),
  distribution: opt(
    z
      .strictObject({ mean: share('Of similarities.'), sigma: z.number().gt(0).max(1) })
      .meta({ description: 'How similarities lie, to spread scores.' }),
  ),
};
const embedder = z
  .strictObject({
    ...EMBEDDER,
    searchEmbedder: opt(anyObject('Configuration for queries, of a `composite` source.')),
    indexingEmbedder: opt(anyObject('Configuration for documents, of a `composite` source.')),
  })
  .meta({
    id: 'Embedder',
    description: 'Who makes vectors, and of what. Which member goes with which source: docs/embedding.md.',
    'x-only-examples': true,
    examples: [{ source: 'userProvided', dimensions: 3 }],
  });
const chat = z.strictObject({
  description: opt(text('What the index holds, for the model.')),
  documentTemplate: opt(template),
  documentTemplateMaxBytes: opt(positive('Bytes of that text at most.')),
  searchParameters: opt(
    z.strictObject({
      hybrid: opt(
        z.strictObject({ embedder: text('Name of the embedder.'), semanticRatio: opt(share('By meaning.')) }),
      ),
      limit: opt(count('Hits at most.')),
      sort: opt(namesUpTo(MAX_NAMES, 'Attributes to sort by.', 'year:desc')),
      distinct: opt(text('Attribute of which each value is shown once.')),
      matchingStrategy: opt(z.enum(['last', 'all', 'frequency'])),
      attributesToSearchOn: opt(namesUpTo(MAX_NAMES, 'Attributes to search in.')),
      rankingScoreThreshold: opt(share('Hits below are left out.')),
    }),
  ),
});
const RULE = new RegExp(`^(${RANKING_RULES.join('|')}|.+:(asc|desc))$`);
const RULES = DEFAULT_SETTINGS.rankingRules;

/** Every setting by its name. Null resets it. */
export const SETTINGS: Readonly<Record<string, z.ZodType>> = {
  displayedAttributes: attributes('Attributes that documents are shown with.', '*'),
  searchableAttributes: attributes('Attributes that are searched, the most important first.', 'title', 'overview'),
  filterableAttributes: filterable,
  sortableAttributes: attributes('Attributes to sort by.', 'year'),
  foreignKeys: z
    .array(
      z.strictObject({
        foreignIndexUid: text('Index that is meant.', 'people'),
        fieldName: text('Attribute with its ids.', 'director_id'),
      }),
    )
    .max(MAX_NAMES)
    .meta({ description: 'Attributes that hold ids of another index. Needs the feature `foreignKeys`.' }),
  rankingRules: z
    .array(z.string().regex(RULE))
    .max(MAX_RANKING_RULES)
    .meta({
      description:
        'What decides the order of hits, one after another: names of rules, `attribute:asc`, `attribute:desc`.',
      examples: [RULES, [...RULES, 'year:desc']],
      'x-only-examples': true,
    }),
  stopWords: names('Words that are not searched for.', 'the', 'of'),
  nonSeparatorTokens: names('Characters that do not separate words here.', '@'),
  separatorTokens: names('Texts that separate words here.', '|'),
  dictionary: names('Texts that are one word.', 'J. R. R.'),
  synonyms: z
    .record(z.string(), z.array(z.string()))
    .meta({ description: 'Words, and what else finds what they find.', examples: [{ movie: ['film'] }] }),
  distinctAttribute: text('Attribute of which each value is shown once.', 'director'),
  proximityPrecision: z.enum(['byWord', 'byAttribute']).meta({ description: 'How nearness of words is judged.' }),
  typoTolerance: typoTolerance.meta({ description: 'Where words may have typos.' }),
  faceting: faceting.meta({ description: 'How values are counted.' }),
  pagination: z
    .strictObject({ maxTotalHits: preset(positive('Hits of a search in all.'), 1000) })
    .meta({ description: 'How far pages go.' }),
  embedders: z.record(z.string(), embedder.nullable()).meta({ description: 'Embedders by name; null removes one.' }),
  searchCutoffMs: count('Milliseconds that a search may take.'),
  localizedAttributes: z
    .array(
      z.strictObject({
        attributePatterns: pattern,
        locales: z.array(z.enum(LOCALE_CODES as [string, ...string[]])).max(MAX_LOCALE_PATTERNS),
      }),
    )
    .max(MAX_LOCALE_PATTERNS)
    .meta({ description: `Languages of attributes; ${MAX_LOCALE_PATTERNS} patterns in all.` }),
  facetSearch: flag('Whether values of facets can be searched.'),
  prefixSearch: z.enum(['indexingTime', 'disabled']).meta({ description: 'Whether the last word is a beginning.' }),
  chat: chat.meta({ description: 'How conversations search the index. Needs the feature `chatCompletions`.' }),
};
export const settingsBody = z
  .strictObject(Object.fromEntries(Object.entries(SETTINGS).map(([name, schema]) => [name, opt(schema)])))
  .meta({
    id: 'Settings',
    description: 'Settings of an index. A member that is absent stays as it is, null resets it.',
  });

const tag = 'Settings';
const base = '/indexes/{indexUid}/settings';
const updated: Operation['answers'] = [
  {
    status: 202,
    says: 'The task that does it.',
    schema: summarizedTask,
    example: { ...SUMMARIZED_TASK, type: 'settingsUpdate' },
  },
];
const READ_ERRORS = ['index_not_found', 'invalid_index_uid'] as const;
const all = { path: base, tag };
const WRITE_ERRORS = [
  ...codesOf('invalid_settings_', 'immutable_settings_'),
  ...codesOf('invalid_index_uid', 'feature_not_enabled', 'invalid_chat_setting_'),
];

export const SETTING_OPERATIONS: readonly Operation[] = [
  {
    ...all,
    id: 'getSettings',
    method: 'get',
    summary: 'All settings of an index',
    action: 'settings.get',
    answers: [
      {
        status: 200,
        says: 'The settings, defaults written out.',
        schema: z.looseObject({}),
        example: { displayedAttributes: ['*'], stopWords: [] },
      },
    ],
    errors: READ_ERRORS,
  },
  {
    ...all,
    id: 'updateSettings',
    method: 'patch',
    summary: 'Change settings of an index, which is made when there is none',
    action: 'settings.update',
    body: { schema: settingsBody, example: { filterableAttributes: ['genres', 'year'], sortableAttributes: ['year'] } },
    answers: updated,
    errors: WRITE_ERRORS,
  },
  {
    ...all,
    id: 'resetSettings',
    method: 'delete',
    summary: 'Reset all settings',
    action: 'settings.update',
    answers: updated,
    errors: ['invalid_index_uid'],
  },
  ...SETTINGS_TABLE.flatMap(({ key, path, verb, code }): Operation[] => {
    const schema = SETTINGS[key]!;
    const name = key[0]!.toUpperCase() + key.slice(1);
    const one = { path: `${base}/${path}`, tag };
    const [example] = (schema.meta()?.['examples'] as unknown[] | undefined) ?? [null];
    return [
      {
        ...one,
        id: `get${name}Setting`,
        method: 'get',
        summary: `The setting \`${key}\``,
        action: 'settings.get',
        answers: [{ status: 200, says: 'Its value.', schema: z.unknown(), example }],
        errors: READ_ERRORS,
      },
      {
        ...one,
        id: `update${name}Setting`,
        method: verb === 'PUT' ? 'put' : 'patch',
        summary: `Change the setting \`${key}\``,
        action: 'settings.update',
        body: { schema: schema.nullable(), example },
        answers: updated,
        errors: [
          ...codesOf(code),
          ...codesOf('invalid_index_uid', 'feature_not_enabled'),
          ...(key === 'chat' ? codesOf('invalid_chat_setting_', 'invalid_settings_embedders') : []),
        ],
      },
      {
        ...one,
        id: `reset${name}Setting`,
        method: 'delete',
        summary: `Reset the setting \`${key}\``,
        action: 'settings.update',
        answers: updated,
        errors: ['invalid_index_uid'],
      },
    ];
  }),
];
