import { MAX_EMBEDDER_COUNT } from '@fossick/base';
import { type Parser, type Where, wrongValue } from '../wire/fields.js';
import { mapOf, nullable } from '../wire/values.js';
import { embedderSchema, EMBEDDER_SOURCES as SOURCES, type EmbedderSource as Source } from './embedder-schema.js';

type EmbedderField =
  | 'model'
  | 'revision'
  | 'pooling'
  | 'apiKey'
  | 'dimensions'
  | 'binaryQuantized'
  | 'documentTemplate'
  | 'documentTemplateMaxBytes'
  | 'url'
  | 'indexingFragments'
  | 'searchFragments'
  | 'request'
  | 'response'
  | 'headers'
  | 'searchEmbedder'
  | 'indexingEmbedder'
  | 'distribution';

/** Which field goes with which source: m mandatory, a allowed, - refused; columns in the order of SOURCES (spec 02 section 9.2). */
const MATRIX: Readonly<Record<EmbedderField, string>> = {
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
  const checked = embedderSchema().safeParse(value);
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
