/** The providers of vectors, and the fields that each accepts. */
export const EMBEDDER_SOURCES = ['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'] as const;
export type EmbedderSource = (typeof EMBEDDER_SOURCES)[number];

/** Fields of every source, and of some; m mandatory, a allowed, - refused; columns in the order of the sources. */
const MATRIX = {
  model: 'aam---',
  revision: '-a----',
  pooling: '-a----',
  apiKey: 'a-a-a-',
  dimensions: 'a-ama-',
  binaryQuantized: 'aaaaaa',
  documentTemplate: 'aaa-a-',
  documentTemplateMaxBytes: 'aaa-a-',
  url: 'a-a-m-',
  indexingFragments: '----a-',
  searchFragments: '----a-',
  request: '----m-',
  response: '----m-',
  headers: '----a-',
  searchEmbedder: '-----m',
  indexingEmbedder: '-----m',
  distribution: 'aaaaaa',
} as const satisfies Readonly<Record<string, string>>;
export type EmbedderField = keyof typeof MATRIX;

/** Every field but `source`, in the order of answers. */
export const EMBEDDER_FIELDS = Object.keys(MATRIX) as readonly EmbedderField[];

/**
 * The only part of a stored embedder that no user has given: the number of dimensions that its provider reported. No
 * request accepts it, no answer shows it.
 */
export const FOUND_DIMENSIONS = 'foundDimensions';

/** One embedder as stored: its given fields, and the size of its vectors. */
export type EmbedderConfig = Readonly<Partial<Record<EmbedderField, unknown>>> & {
  readonly source?: EmbedderSource;
  readonly [FOUND_DIMENSIONS]?: number;
};

export function isMandatory(source: EmbedderSource, field: EmbedderField): boolean {
  return MATRIX[field][EMBEDDER_SOURCES.indexOf(source)] === 'm';
}
/** Whether a source accepts a field; none accepts a field outside of the table. */
export function takesField(source: EmbedderSource, field: string): boolean {
  if (!Object.hasOwn(MATRIX, field)) return false;
  return MATRIX[field as EmbedderField][EMBEDDER_SOURCES.indexOf(source)] !== '-';
}
export function fieldsOf(source: EmbedderSource): readonly EmbedderField[] {
  return EMBEDDER_FIELDS.filter((field) => takesField(source, field));
}

/** The source of a configuration, openAi by default. */
export function sourceOf({ source }: EmbedderConfig): EmbedderSource {
  return source ?? 'openAi';
}

/** Models of openAi: the number of dimensions, and whether fewer can be requested. */
export const OPENAI_MODELS: Readonly<Record<string, { readonly dimCount: number; readonly canShorten: boolean }>> = {
  'text-embedding-3-small': { dimCount: 1536, canShorten: true },
  'text-embedding-3-large': { dimCount: 3072, canShorten: true },
  'text-embedding-ada-002': { dimCount: 1536, canShorten: false },
};
export const DEFAULT_MODELS: Readonly<Partial<Record<EmbedderSource, string>>> = {
  openAi: 'text-embedding-3-small',
  huggingFace: 'BAAI/bge-base-en-v1.5',
};
export const DEFAULT_POOLING = 'useModel';
