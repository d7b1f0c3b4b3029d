import { own } from '@fossick/base';
import {
  allowing,
  anyObject,
  anything,
  checked,
  choice,
  described,
  exampleText,
  flag,
  type Kind,
  mapOf,
  nullable,
  objectOf,
  objectSchema,
  optional,
  type Parser,
  parsers,
  positive,
  readFields,
  required,
  share,
  shown,
  text,
  wrongValue,
} from '@fossick/base/contract';
import { checkEmbedder, checkEmbedderCount, checkSentFields, checkTemplates } from '../embedders/check-embedder.js';
import { mergeEmbedder } from '../embedders/merge-embedders.js';
import { EMBEDDER_SOURCES, type EmbedderConfig } from '../embedders/sources.js';
import { checkMergedTemplates } from './setting-limits.js';
import { template } from './template-value.js';

const CODE = 'invalid_settings_embedders';

const parseUrl: Parser<string> = (value, where) => {
  const given = parsers.string(value, where);
  if (!URL.canParse(given)) throw wrongValue(where, `\`${given}\` is not an absolute address.`);
  return given;
};
const url = checked(exampleText('Where the provider answers.', 'https://api.example.com/embed'), parseUrl);
const parseSigma: Parser<number> = (value, where) => {
  const given = parsers.number(value, where);
  if (!(given > 0 && given <= 1))
    throw wrongValue(where, `it must be above \`0.0\` and at most \`1.0\`, but it is ${given}.`);
  return given;
};
const sigma: Kind<number> = {
  ...checked(share(''), parseSigma),
  schema: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
};
const fragments = shown(
  mapOf(nullable(objectOf({ value: required(CODE, anything(''), CODE) }))),
  described(
    'Parts of a document, or of a query, that are embedded. Their texts are templates, and have the limits of `documentTemplate`.',
  ),
);
const inner = (says: string): Kind<Record<string, unknown>> => ({
  ...anyObject(says),
  parse: (value, where) => configuration(value, where),
});

/** Types of all fields; which fields a source accepts is checked separately. */
const FIELDS = {
  source: optional(CODE, choice(EMBEDDER_SOURCES, 'Who makes the vectors.'), 'openAi'),
  model: optional(CODE, text('Name of the model.')),
  revision: optional(CODE, text('Revision of the model.')),
  pooling: optional(CODE, choice(['useModel', 'forceMean', 'forceCls'])),
  apiKey: optional(CODE, text('Key of the provider. Answers hide it.')),
  dimensions: optional(CODE, positive('Numbers of a vector.')),
  binaryQuantized: optional(CODE, flag('Keep one bit of each number. It cannot be undone.')),
  documentTemplate: optional(CODE, template),
  documentTemplateMaxBytes: optional(CODE, positive('Bytes of that text at most.')),
  url: optional(CODE, url),
  indexingFragments: optional(CODE, fragments),
  searchFragments: optional(CODE, fragments),
  request: optional(CODE, anything('How a request to a `rest` source looks.')),
  response: optional(CODE, anything('How its answer looks.')),
  headers: optional(CODE, shown(mapOf(text('')), described('Headers of the requests.'))),
  searchEmbedder: optional(CODE, inner('Configuration for queries, of a `composite` source.')),
  indexingEmbedder: optional(CODE, inner('Configuration for documents, of a `composite` source.')),
  distribution: optional(
    CODE,
    objectOf(
      {
        mean: required(CODE, share('Of similarities.'), CODE),
        sigma: required(CODE, sigma, CODE),
      },
      { says: 'How similarities lie, to spread scores.' },
    ),
  ),
};
/** Unknown members have the code of the setting. */
const configuration: Parser<Record<string, unknown>> = (value, { path }) =>
  readFields(value, FIELDS, { unknownCode: CODE }, path) as Record<string, unknown>;
const EMBEDDER_SCHEMA = {
  ...objectSchema(FIELDS),
  id: 'Embedder',
  description: 'Who makes vectors, and of what. Which member goes with which source: docs/reference/embedding.md.',
  'x-only-examples': true,
  examples: [{ source: 'userProvided', dimensions: 3 }],
};

const parseEmbedder: Parser<Record<string, unknown>> = (value, where) => {
  const given = configuration(value, where);
  checkTemplates(given, where.path);
  if (typeof given.source === 'string') checkSentFields(given as EmbedderConfig, where.path);
  return given;
};

const all: Kind<Record<string, unknown>> = {
  ...mapOf(nullable({ ...anyObject(''), parse: parseEmbedder, schema: EMBEDDER_SCHEMA })),
  parse: (value, where) => {
    const given = parsers.mapOf(parsers.nullable(parseEmbedder))(value, where);
    checkEmbedderCount(given);
    return given;
  },
};
/** The embedders setting: name -> configuration, or null to delete that embedder. */
export const embedders = allowing(
  shown(all, described('Embedders by name; null removes one.')),
  'an object of embedders by their names, each with the fields that its `source` takes; the message lists them',
);

/**
 * Checks those embedders of a request that name their source, merged with the stored ones, so that the client gets at once the error
 * that the task would fail with. Without a source only the task can check.
 */
export function checkSentEmbedders(value: unknown, stored: Readonly<Record<string, unknown>>): void {
  const changes = Object.entries((value ?? {}) as Readonly<Record<string, EmbedderConfig | null>>);
  const merged = new Map(Object.entries(stored));
  for (const [name, change] of changes) {
    const before = own(stored, name) as EmbedderConfig | undefined;
    const after = change === null ? undefined : mergeEmbedder(before, change);
    merged.set(name, after);
    // templates of the request were parsed when it was read, and stored ones when they were sent
    if (after !== undefined && typeof change?.source === 'string')
      checkEmbedder(after, `.embedders.${name}`, { parsesTemplates: false });
  }
  checkMergedTemplates(Object.fromEntries(merged), stored);
}

/** Experimental features that embedder configurations use. */
export function embedderFeatures(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((config: unknown) => {
    if (typeof config !== 'object' || config === null) return [];
    const { source, indexingFragments, searchFragments, ...others } = config as EmbedderConfig;
    const isGiven = (member: unknown): boolean => member !== undefined && member !== null;
    const isComposite = source === 'composite' || isGiven(others.searchEmbedder) || isGiven(others.indexingEmbedder);
    const hasFragments = isGiven(indexingFragments) || isGiven(searchFragments);
    const nested = embedderFeatures([others.searchEmbedder, others.indexingEmbedder]);
    return [...(hasFragments ? ['multimodal'] : []), ...(isComposite ? ['compositeEmbedders'] : []), ...nested];
  });
}
