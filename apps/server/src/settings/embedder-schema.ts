import { createRequire } from 'node:module';
import type * as zod from 'zod';

export const EMBEDDER_SOURCES = ['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'] as const;
export type EmbedderSource = (typeof EMBEDDER_SOURCES)[number];

const require = createRequire(import.meta.url);
let schema: zod.ZodType | undefined;

/**
 * The shape of one embedder's configuration, without the rules that go by source. Made when the first one comes: the
 * validator takes several MiB and a tenth of a second of a start, and most instances never see an embedder.
 */
export function embedderSchema(): zod.ZodType {
  schema ??= makeSchema(require('zod') as typeof zod);
  return schema;
}

function makeSchema({ z }: typeof zod): zod.ZodType {
  const shape = {
    source: z.enum(EMBEDDER_SOURCES),
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
  return z.strictObject(Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, field.nullish()])));
}
