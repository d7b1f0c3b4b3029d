import { own } from '@fossick/base';
import {
  checkEmbedder,
  checkEmbedderCount,
  checkSentFields,
  checkTemplates,
  EMBEDDER_SOURCES,
  type EmbedderConfig,
  mergeEmbedder,
} from '@fossick/settings';

import { type Field, optional, type Parser, readFields, required, wrongValue } from '../reading/fields.js';
import {
  anything,
  boolean,
  mapOf,
  nullable,
  number,
  oneOf,
  positiveInteger,
  share,
  string,
} from '../reading/values.js';
import { checkMergedTemplates } from './setting-limits.js';

const CODE = 'invalid_settings_embedders';
const field = <T>(parse: Parser<T>): Field<T> => optional(CODE, parse);
/** Parsers of the members of a configuration; unknown members have the code of the setting. */
const objectOf =
  (fields: Readonly<Record<string, Field<unknown>>>): Parser<Record<string, unknown>> =>
  (value, { path }) =>
    readFields(value, fields, { unknownCode: CODE }, path) as Record<string, unknown>;

const url: Parser<string> = (value, where) => {
  const text = string(value, where);
  if (!URL.canParse(text)) throw wrongValue(where, `\`${text}\` is not an absolute address.`);
  return text;
};
const sigma: Parser<number> = (value, where) => {
  const given = number(value, where);
  if (!(given > 0 && given <= 1))
    throw wrongValue(where, `it must be above \`0.0\` and at most \`1.0\`, but it is ${given}.`);
  return given;
};
const fragments = mapOf(nullable(objectOf({ value: required(CODE, anything, CODE) })));

/** Types of all fields; which fields a source accepts is checked separately. */
const FIELDS = {
  source: field(oneOf(...EMBEDDER_SOURCES)),
  model: field(string),
  revision: field(string),
  pooling: field(oneOf('useModel', 'forceMean', 'forceCls')),
  apiKey: field(string),
  dimensions: field(positiveInteger),
  binaryQuantized: field(boolean),
  documentTemplate: field(string),
  documentTemplateMaxBytes: field(positiveInteger),
  url: field(url),
  indexingFragments: field(fragments),
  searchFragments: field(fragments),
  request: field(anything),
  response: field(anything),
  headers: field(mapOf(string)),
  searchEmbedder: field<unknown>((value, where) => configuration(value, where)),
  indexingEmbedder: field<unknown>((value, where) => configuration(value, where)),
  distribution: field(objectOf({ mean: required(CODE, share, CODE), sigma: required(CODE, sigma, CODE) })),
};
const configuration = objectOf(FIELDS);

const embedder: Parser<Record<string, unknown>> = (value, where) => {
  const given = configuration(value, where);
  checkTemplates(given, where.path);
  if (typeof given.source === 'string') checkSentFields(given as EmbedderConfig, where.path);
  return given;
};

/** The embedders setting: name -> configuration, or null to delete that embedder. */
export const embedders: Parser<Record<string, unknown>> = (value, where) => {
  const given = mapOf(nullable(embedder))(value, where);
  checkEmbedderCount(given);
  return given;
};

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
