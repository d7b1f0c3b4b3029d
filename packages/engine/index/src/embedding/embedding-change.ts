import { apiError, own, setOwn } from '@fossick/base';
import { externalIdOf } from '@fossick/documents';
import { EmbeddingError } from '@fossick/embedders/settings';
import {
  type EmbedderConfig,
  type EmbedderField,
  FOUND_DIMENSIONS,
  type IndexSettings,
  OPENAI_MODELS,
  resolvedEmbedder,
  sourceOf,
} from '@fossick/settings';
import { checkVectors, vectorRulesOf, withoutGenerated } from '@fossick/vectors';
import type { IndexTransaction } from '../transaction/index-transaction.js';
import type { PreparedDocument } from '../transaction/prepared-document.js';
import type { WriteContext } from '../transaction/write-context.js';

import { DocumentEmbedder, type EmbeddableDocument, type EmbedderPlan, makeVectors } from './document-embedder.js';
import { recipeOf } from './document-inputs.js';
import { EmbeddingLine } from './embedding-line.js';
import type { VectorMaker } from './vector-maker.js';

/** Documents that are sent to an embedder together. */
const TOGETHER_MAX = 1_000;

/** Fields whose change makes the vectors different; dimensions and url are compared by source. */
const OF_MAKING: readonly (EmbedderField | 'source')[] = [
  'source',
  'model',
  'revision',
  'pooling',
  'request',
  'response',
];

/**
 * What a change of settings means for embedders: providers are asked for the number of dimensions where the settings do
 * not give it, and `apply` updates the vectors of stored documents. Throws ApiError vector_embedding_error.
 */
export class EmbeddingChange {
  private readonly maker: VectorMaker | undefined;
  private readonly context: WriteContext;
  /** The settings as they are stored: with the dimensions that the providers reported. */
  readonly after: IndexSettings;
  /** Names of embedders whose vectors must all be made again. */
  readonly outdated: ReadonlySet<string>;
  private readonly plans: readonly EmbedderPlan[];
  /** Names of embedders that are new. */
  private readonly added = new Set<string>();

  constructor(before: IndexSettings, merged: IndexSettings, maker: VectorMaker | undefined, context: WriteContext) {
    this.maker = maker;
    this.context = context;
    const outdated = new Set<string>();
    const embedders: Record<string, unknown> = {};
    const plans: EmbedderPlan[] = [];
    for (const [name, value] of Object.entries(merged.embedders)) {
      const old = own(before.embedders, name) as EmbedderConfig | undefined;
      const config = this.withDimensions(name, old, value as EmbedderConfig);
      setOwn(embedders, name, config);
      // an earlier release accepted embedders without asking their provider
      const isFirstRequested = old?.[FOUND_DIMENSIONS] === undefined && config[FOUND_DIMENSIONS] !== undefined;
      const isAnew = old === undefined || isFirstRequested || isOtherMaking(old, config);
      if (old === undefined) this.added.add(name);
      else if (isAnew) outdated.add(name);
      const recipe = recipeOf(config);
      if (recipe === null) continue;
      const previous = isAnew ? null : recipeOf(old);
      if (isAnew || isOtherRecipe(old, config)) plans.push({ name, config, recipe, previous });
    }
    for (const name of Object.keys(before.embedders)) if (!Object.hasOwn(embedders, name)) outdated.add(name);
    this.after = { ...merged, embedders };
    this.outdated = outdated;
    this.plans = plans;
  }

  /** Updates the vectors of stored documents, under the settings that the transaction has already changed to. */
  apply(transaction: IndexTransaction): void {
    if (this.plans.length === 0 && this.outdated.size === 0) return;
    const embedder = new DocumentEmbedder(this.plans, this.after, this.maker, this.context);
    const rules = vectorRulesOf(this.after);
    const isGiven = (name: string): boolean => this.added.has(name);
    const line = new EmbeddingLine<EmbeddableDocument & { readonly prepared: PreparedDocument }>(
      embedder,
      ({ prepared }, whole) => transaction.store({ ...prepared, whole }),
      () => this.context.onProgress('apply the settings', 0, 1),
    );
    let together: (EmbeddableDocument & { readonly prepared: PreparedDocument })[] = [];
    try {
      for (const docId of transaction.liveDocIds()) {
        const row = transaction.row(docId);
        if (row === undefined) continue;
        const before = transaction.decoded(row);
        const externalId = externalIdOf(before, transaction.primaryKey ?? '');
        const whole = checkVectors(withoutGenerated(before, this.outdated), rules, externalId, {
          mayLack: true,
          isNew: isGiven,
        });
        together.push({
          externalId,
          whole,
          before,
          isGiven,
          prepared: { externalId, known: docId, before: row, whole },
        });
        if (together.length < TOGETHER_MAX) continue;
        line.push(together);
        together = [];
        transaction.checkCanceled();
      }
      line.push(together);
      line.flush();
    } finally {
      line.close();
    }
  }

  /** The configuration with its number of dimensions, asked from the provider where nothing else says it. */
  private withDimensions(name: string, old: EmbedderConfig | undefined, config: EmbedderConfig): EmbedderConfig {
    if (config === old || !usesProvider(config)) return config;
    const found = old?.[FOUND_DIMENSIONS];
    const isSame = old !== undefined && !isOtherMaking(old, config) && searchSide(old) === searchSide(config);
    if (isSame && found !== undefined) return { ...config, [FOUND_DIMENSIONS]: found };
    if (needsDimensions(config)) throw apiError('vector_embedding_error', 'fragmentsWithoutDimensions', name);
    this.context.onProgress('extracting embeddings', 0, 1);
    const dimCount = makeVectors(
      this.context,
      (options) => {
        if (this.maker !== undefined) return this.maker.dimensions(config, options);
        throw new EmbeddingError('configuration', 'Nothing here makes vectors.');
      },
      ({ message }) => apiError('vector_embedding_error', 'unknownDimensions', name, message),
    );
    if (dimCount > 0) return { ...config, [FOUND_DIMENSIONS]: dimCount };
    throw apiError('vector_embedding_error', 'noDimensions', name);
  }
}

/**
 * Whether the provider must be asked for the number of dimensions. The two sides of a composite embedder are also
 * compared.
 */
function usesProvider(config: EmbedderConfig): boolean {
  const source = sourceOf(config);
  if (source === 'userProvided' || typeof config.dimensions === 'number') return false;
  if (source !== 'openAi') return true;
  return own(OPENAI_MODELS, String(resolvedEmbedder(config).model)) === undefined;
}

/** Whether nothing can be embedded to find the number of dimensions: the request takes fragments, and has no text. */
function needsDimensions({ dimensions, searchEmbedder, indexingEmbedder, ...config }: EmbedderConfig): boolean {
  if (sourceOf(config) === 'composite')
    return [searchEmbedder, indexingEmbedder].some((nested) => needsDimensions(nested as EmbedderConfig));
  const isByFragments = [config.indexingFragments, config.searchFragments].some((fragments) =>
    Object.values(fragments ?? {}).some((fragment) => fragment !== null),
  );
  return isByFragments && typeof dimensions !== 'number';
}

/** Whether the embedder would now make another vector of the same input. */
function isOtherMaking(before: EmbedderConfig, after: EmbedderConfig): boolean {
  const [old, now] = [resolvedEmbedder(before), resolvedEmbedder(after)];
  const differs = (field: EmbedderField | 'source'): boolean =>
    JSON.stringify(old[field]) !== JSON.stringify(now[field]);
  if (OF_MAKING.some(differs)) return true;
  const source = sourceOf(after);
  if (source === 'composite')
    return isOtherMaking(before.indexingEmbedder as EmbedderConfig, after.indexingEmbedder as EmbedderConfig);
  if (source === 'openAi') return differs('dimensions');
  return source !== 'userProvided' && differs('url');
}

/**
 * Whether documents may render to other inputs: a larger byte limit of a template can change them, a smaller one is not
 * applied to stored documents.
 */
function isOtherRecipe(before: EmbedderConfig, after: EmbedderConfig): boolean {
  const [old, now] = [recipeOf(before), recipeOf(after)];
  if (old?.kind !== 'text' || now?.kind !== 'text') return JSON.stringify(old) !== JSON.stringify(now);
  return old.template !== now.template || now.maxBytes > old.maxBytes;
}

const searchSide = ({ searchEmbedder }: EmbedderConfig): string => JSON.stringify(searchEmbedder) ?? '';
