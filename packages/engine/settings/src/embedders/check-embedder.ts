import { ApiError, apiError, foreignText, MAX_EMBEDDER_COUNT, own } from '@fossick/base';
import { checkTemplate } from '@fossick/documents/templates';
import { EmbeddingError, readRestTemplates } from '@fossick/embedders/settings';

import {
  DEFAULT_MODELS,
  EMBEDDER_FIELDS,
  type EmbedderConfig,
  fieldsOf,
  isMandatory,
  OPENAI_MODELS,
  sourceOf,
  takesField,
} from './sources.js';

/** The position of a configuration in a composite embedder. */
type Role = 'whole' | 'searchEmbedder' | 'indexingEmbedder';
const NESTED_REFUSES: Readonly<Record<Role, readonly string[]>> = {
  whole: [],
  searchEmbedder: [
    'distribution',
    'binaryQuantized',
    'documentTemplate',
    'documentTemplateMaxBytes',
    'indexingFragments',
  ],
  indexingEmbedder: ['distribution', 'binaryQuantized', 'searchFragments'],
};
const OLLAMA_PATHS = ['/api/embed', '/api/embeddings'];

/**
 * Checks everything about an embedder's fields that needs no request to its provider: the fields that its source
 * accepts and requires, model and dimensions, templates. `path` is its position, for messages. Null fields count as
 * given in the check of accepted fields, and as absent otherwise. Throws ApiError invalid_settings_embedders, and
 * vector_embedding_error for rest templates and fragments. Without `parsesTemplates`, templates and fragments are not parsed, which
 * takes long.
 */
export function checkEmbedder(
  config: EmbedderConfig,
  path: string,
  { parsesTemplates = true }: { readonly parsesTemplates?: boolean } = {},
): void {
  checkOne(config, path, 'whole');
  if (parsesTemplates) checkTemplates(config, path);
  checkFragmentMaps(config, path);
}

/** Checks the fields against the source, in the configuration as sent: refused ones count even when null. */
export function checkSentFields(config: EmbedderConfig, path: string): void {
  const source = sourceOf(config);
  for (const field of Object.keys(config)) {
    if (field === 'source' || takesField(source, field)) continue;
    const allowed = fieldsOf(source).map((name) => `\`${name}\``);
    throw wrong(
      `${path}.${field}`,
      `the source \`${source}\` does not take \`${field}\`; it takes ${allowed.join(', ')}`,
    );
  }
  for (const field of EMBEDDER_FIELDS)
    if (isMandatory(source, field) && !isGiven(config[field]))
      throw wrong(path, `the source \`${source}\` needs \`${field}\``);
}

/** Throws invalid_settings_embedders for more embedders than an index may have. */
export function checkEmbedderCount(embedders: object): void {
  if (Object.keys(embedders).length > MAX_EMBEDDER_COUNT)
    throw wrong('.embedders', `an index has at most ${MAX_EMBEDDER_COUNT} embedders`);
}

/** Checks a configuration merged from several updates; everything else was checked in each of them. */
export function checkMergedEmbedder(before: EmbedderConfig | undefined, after: EmbedderConfig, path: string): void {
  checkEmbedder(after, path);
  if (before?.binaryQuantized === true && after.binaryQuantized !== true)
    throw wrong(
      `${path}.binaryQuantized`,
      'the vectors were reduced to bits and cannot be restored: delete the embedder and make it anew',
    );
  if (sourceOf(after) !== 'ollama' || typeof after.url !== 'string') return;
  const { url } = after;
  if (!OLLAMA_PATHS.some((ending) => url.endsWith(ending)))
    throw apiError(
      'vector_embedding_error',
      'ollamaAddress',
      path,
      OLLAMA_PATHS.map((ending) => `\`${ending}\``).join(' or '),
      url,
    );
}

function checkOne(config: EmbedderConfig, path: string, role: Role): void {
  const source = sourceOf(config);
  if (role !== 'whole') checkRole(config, path, role);
  checkSentFields(config, path);
  if (source === 'openAi') checkOpenAi(config, path);
  if (source === 'rest') checkRestTemplates(config);
  if (source !== 'composite') return;
  for (const nested of ['searchEmbedder', 'indexingEmbedder'] as const)
    checkOne(config[nested] as EmbedderConfig, `${path}.${nested}`, nested);
}

function checkRestTemplates({ request, response, indexingFragments, searchFragments }: EmbedderConfig): void {
  try {
    readRestTemplates(request, response, hasEntries(indexingFragments) || hasEntries(searchFragments));
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    throw new ApiError('vector_embedding_error', foreignText(error.message));
  }
}

function checkRole(config: EmbedderConfig, path: string, role: Role): void {
  if (config.source === undefined || config.source === null)
    throw wrong(path, 'an embedder inside another one needs `source`');
  if (config.source === 'userProvided' || config.source === 'composite')
    throw wrong(`${path}.source`, `an embedder inside another one cannot be \`${config.source}\``);
  const refused = NESTED_REFUSES[role].find((field) => field in config);
  if (refused !== undefined) throw wrong(`${path}.${refused}`, `\`${role}\` does not take \`${refused}\``);
}

function checkOpenAi({ model, dimensions }: EmbedderConfig, path: string): void {
  const name = String(model ?? DEFAULT_MODELS.openAi);
  const known = own(OPENAI_MODELS, name);
  if (known === undefined) {
    const names = Object.keys(OPENAI_MODELS).map((each) => `\`${each}\``);
    throw wrong(`${path}.model`, `\`${name}\` is not a model of openAi; its models are ${names.join(', ')}`);
  }
  if (typeof dimensions !== 'number' || dimensions === known.dimCount) return;
  if (!known.canShorten)
    throw wrong(
      `${path}.dimensions`,
      `the model \`${name}\` has ${known.dimCount} dimensions and cannot be asked for others`,
    );
  if (dimensions > known.dimCount)
    throw wrong(
      `${path}.dimensions`,
      `the model \`${name}\` has at most ${known.dimCount} dimensions, not ${dimensions}`,
    );
}

/** Templates and fragments are Liquid, those of embedders inside it included. Throws invalid_settings_embedders. */
export function checkTemplates(config: EmbedderConfig, path: string): void {
  if (typeof config.documentTemplate === 'string') tryTemplate(config.documentTemplate, `${path}.documentTemplate`);
  for (const field of ['indexingFragments', 'searchFragments'] as const)
    for (const [name, fragment] of Object.entries(config[field] ?? {}))
      tryFragment((fragment as { readonly value?: unknown } | null)?.value, `${path}.${field}.${name}.value`);
  for (const nested of ['searchEmbedder', 'indexingEmbedder'] as const)
    if (isGiven(config[nested])) checkTemplates(config[nested] as EmbedderConfig, `${path}.${nested}`);
}

/** All strings of a fragment are templates. */
function tryFragment(value: unknown, path: string): void {
  if (typeof value === 'string') tryTemplate(value, path);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) tryFragment(member, `${path}.${name}`);
}

function tryTemplate(text: string, path: string): void {
  try {
    checkTemplate(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw apiError('invalid_settings_embedders', 'fault', path, error.message);
  }
}

/** Both kinds of fragments or none, and no template with them. */
function checkFragmentMaps(config: EmbedderConfig, path: string): void {
  const given = (['indexingFragments', 'searchFragments'] as const).filter((field) => hasEntries(config[field]));
  if (given.length === 0) return;
  if (isGiven(config.documentTemplate)) throw apiError('vector_embedding_error', 'templateAndFragments', path);
  if (given.length === 2) return;
  const [has, lacks] =
    given[0] === 'indexingFragments' ? given.concat('searchFragments') : [given[0], 'indexingFragments'];
  throw apiError('vector_embedding_error', 'fragmentsOfOneSide', path, has, lacks);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
function hasEntries(map: unknown): boolean {
  return typeof map === 'object' && map !== null && Object.values(map).some((entry) => entry !== null);
}
function wrong(path: string, fault: string): ApiError {
  return apiError('invalid_settings_embedders', 'value', path, fault);
}
