import { MAX_EMBEDDER_COUNT } from '@fossick/base';
import { z } from 'zod';
import { wrongValue, type Parser, type Where } from '../wire/fields.js';
import { mapOf, nullable } from '../wire/values.js';

const SOURCES = ['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'] as const;
type Source = (typeof SOURCES)[number];

const SHAPE = {
  source: z.enum(SOURCES),
  model: z.string(),
  revision: z.string(),
  pooling: z.enum(['useModel', 'forceMean', 'forceCls']),
  apiKey: z.string(),
  dimensions: z.int().positive(),
  binaryQuantized: z.boolean(),
  documentTemplate: z.string(),
  documentTemplateMaxBytes: z.int().positive(),
  url: z.url(),
  indexingFragments: z.record(z.string(), z.strictObject({ value: z.unknown() }).nullable()),
  searchFragments: z.record(z.string(), z.strictObject({ value: z.unknown() }).nullable()),
  request: z.unknown(),
  response: z.unknown(),
  headers: z.record(z.string(), z.string()),
  searchEmbedder: z.record(z.string(), z.unknown()),
  indexingEmbedder: z.record(z.string(), z.unknown()),
  distribution: z.strictObject({ mean: z.number().min(0).max(1), sigma: z.number().gt(0).max(1) }),
};
type EmbedderField = keyof typeof SHAPE;
const CONFIGURATION = z.strictObject(
  Object.fromEntries(Object.entries(SHAPE).map(([name, schema]) => [name, schema.nullish()])),
);

/** Which field goes with which source: m mandatory, a allowed, - refused; columns in the order of SOURCES (spec 02 section 9.2). */
const MATRIX: Readonly<Record<Exclude<EmbedderField, 'source'>, string>> = {
  model: 'aam---',
  revision: '-a----',
  pooling: '-a----',
  apiKey: 'a-a-a-',
  dimensions: 'a-ama-',
  documentTemplate: 'aaa-a-',
  documentTemplateMaxBytes: 'aaa-a-',
  url: 'a-a-m-',
  request: '----m-',
  response: '----m-',
  headers: '----a-',
  indexingFragments: '----a-',
  searchFragments: '----a-',
  searchEmbedder: '-----m',
  indexingEmbedder: '-----m',
  distribution: 'aaaaaa',
  binaryQuantized: 'aaaaaa',
};

const configuration: Parser<Record<string, unknown>> = (value, where) => {
  const checked = CONFIGURATION.safeParse(value);
  if (!checked.success) {
    const issue = checked.error.issues[0]!;
    const path = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
    throw wrongValue({ code: where.code, path: where.path + path }, `${issue.message}.`);
  }
  const embedder = checked.data as Record<string, unknown>;
  if (typeof embedder.source === 'string') checkMatrix(embedder, embedder.source as Source, where);
  return embedder;
};

/** The embedders setting: name -> configuration, or null to delete that embedder. */
export const embedders: Parser<Record<string, unknown>> = (value, where) => {
  const given = mapOf(nullable(configuration))(value, where);
  if (Object.keys(given).length > MAX_EMBEDDER_COUNT)
    throw wrongValue(where, `an index has at most ${MAX_EMBEDDER_COUNT} embedders.`);
  return given;
};

/** Experimental features that embedder configurations lean on (spec 02 section 9). */
export function embedderFeatures(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((embedder: unknown) => {
    if (typeof embedder !== 'object' || embedder === null) return [];
    const { source, indexingFragments, searchFragments } = embedder as Record<string, unknown>;
    const hasFragments = (indexingFragments ?? null) !== null || (searchFragments ?? null) !== null;
    return [...(hasFragments ? ['multimodal'] : []), ...(source === 'composite' ? ['compositeEmbedders'] : [])];
  });
}

function checkMatrix(embedder: Record<string, unknown>, source: Source, where: Where): void {
  const column = SOURCES.indexOf(source);
  for (const [field, row] of Object.entries(MATRIX)) {
    const rule = row[column];
    const allowed = Object.entries(MATRIX).filter(([, other]) => other[column] !== '-');
    if (rule === '-' && field in embedder)
      throw wrongValue(
        { code: where.code, path: `${where.path}.${field}` },
        `the source \`${source}\` does not take \`${field}\`; it takes ${allowed.map(([name]) => `\`${name}\``).join(', ')}.`,
      );
    if (rule === 'm' && (embedder[field] === undefined || embedder[field] === null))
      throw wrongValue(where, `the source \`${source}\` needs \`${field}\`.`);
  }
}

/** A secret as answers show it: only its beginning (spec 02 section 9.6). */
export function maskSecret(secret: string): string {
  const byteCount = Buffer.byteLength(secret);
  if (byteCount < 10) return 'XXX...';
  if (byteCount < 20) return `${secret.slice(0, 2)}XXXX...`;
  if (byteCount < 30) return `${secret.slice(0, 3)}XXXXX...`;
  return `${secret.slice(0, 5)}XXXXXX...`;
}

/** Embedders with every `apiKey` masked, nested ones too. */
export function maskEmbedders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskEmbedders);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'apiKey' && typeof member === 'string' ? maskSecret(member) : maskEmbedders(member),
    ]),
  );
}
