import type { Json, JsonObject } from './json-schema.js';

/** Descriptions of path parameters, by name. */
export type PathParameters = Readonly<
  Record<string, { readonly says: string; readonly schema: JsonObject; readonly example: Json }>
>;

/** Those of the core. */
export const PATH_PARAMETERS: PathParameters = {
  indexUid: { says: 'Name of the index.', schema: { type: 'string' }, example: 'movies' },
  documentId: { says: 'Id of the document.', schema: { type: 'string' }, example: '11' },
  taskUid: { says: 'Number of the task.', schema: { type: 'integer', minimum: 0 }, example: 7 },
  batchUid: { says: 'Number of the batch.', schema: { type: 'integer', minimum: 0 }, example: 5 },
  key: {
    says: 'Uid or value of the key.',
    schema: { type: 'string' },
    example: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
  },
  file: { says: 'Name of the file.', schema: { type: 'string' }, example: 'index.js' },
  ruleUid: { says: 'Name of the rule.', schema: { type: 'string' }, example: 'promo' },
};
