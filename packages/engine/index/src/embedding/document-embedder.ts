import { ApiError, apiError, BatchCanceled, own } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';
import { documentVariables } from '@fossick/documents/templates';
import { type EmbedderInput, EmbeddingError } from '@fossick/embedders/settings';
import { type EmbedderConfig, type IndexSettings, isSearchableField } from '@fossick/settings';
import { isVectorMap, type StoredVectors, type VectorRules, vectorRulesOf } from '@fossick/vectors';
import type { WriteContext } from '../transaction/write-context.js';

import { type InputRecipe, recipeOf, renderInputs } from './document-inputs.js';
import type { MakeOptions, PendingVectors, VectorMaker } from './vector-maker.js';

/** An embedder that makes vectors, and the recipe that made the vectors of stored documents. */
export interface EmbedderPlan {
  readonly name: string;
  readonly config: EmbedderConfig;
  readonly recipe: InputRecipe;
  /**
   * How inputs of the stored version were rendered; null: its vectors were made differently, so none of them is reused.
   */
  readonly previous: InputRecipe | null;
}
/** A document on its way into the index. */
export interface EmbeddableDocument {
  readonly externalId: string;
  /** The document to store, with `_vectors` in their stored form. */
  readonly whole: JsonObject;
  /** The stored version; undefined when there is none. */
  readonly before: JsonObject | undefined;
  /** Whether the user gives the vectors under a name in this very request: they are stored as given. */
  readonly isGiven: (name: string) => boolean;
}
/** A provider does not take an input of the document: another document may succeed. */
export class DocumentRefused extends ApiError {}

/** Statuses by which providers refuse an input, and not the client. */
const INPUT_STATUSES: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** Whether a provider does not take an input, and may take others. */
export function isOfInput({ kind, status }: EmbeddingError): boolean {
  return kind === 'refused' && INPUT_STATUSES.has(status);
}

interface Slot {
  readonly at: number;
  readonly plan: EmbedderPlan;
  /** One vector for each input of the document; undefined where it is still being made. */
  readonly vectors: (readonly number[] | undefined)[];
}
interface Missing {
  readonly slot: Slot;
  readonly vectorAt: number;
  readonly input: EmbedderInput;
}

interface Batch {
  readonly plan: EmbedderPlan;
  readonly slots: readonly Slot[];
  readonly missing: readonly Missing[];
  /** Null where nothing is missing. */
  readonly made: PendingVectors | null;
}
/** Documents whose vectors are being made. The caller must call either `finish` or `drop`, once. */
export interface PendingDocuments {
  /**
   * Waits for the vectors and returns the documents with them, in their order. Throws ApiError vector_embedding_error,
   * which names the document.
   */
  finish(): JsonObject[];
  drop(): void;
}

/** The plans for documents that are added while the settings stay the same. */
export function plansOf(settings: Pick<IndexSettings, 'embedders'>): EmbedderPlan[] {
  return Object.entries(settings.embedders).flatMap(([name, value]): EmbedderPlan[] => {
    const config = value as EmbedderConfig;
    const recipe = recipeOf(config);
    return recipe === null ? [] : [{ name, config, recipe, previous: recipe }];
  });
}

/** Adds the vectors that embedders make to documents. */
export class DocumentEmbedder {
  readonly plans: readonly EmbedderPlan[];
  private readonly settings: IndexSettings;
  private readonly rules: VectorRules;
  private readonly maker: VectorMaker | undefined;
  private readonly context: WriteContext;
  /** Requests to providers: those that succeeded, and the number expected so far. */
  private doneCount = 0;
  private wantedCount = 0;

  constructor(
    plans: readonly EmbedderPlan[],
    settings: IndexSettings,
    maker: VectorMaker | undefined,
    context: WriteContext,
  ) {
    this.plans = plans;
    this.settings = settings;
    this.rules = vectorRulesOf(settings);
    this.maker = maker;
    this.context = context;
  }

  /**
   * Begins to make the vectors of documents. Inputs that the stored version also had keep their vectors and are not
   * sent again. Throws ApiError invalid_document_fields.
   */
  begin(documents: readonly EmbeddableDocument[]): PendingDocuments {
    // all inputs are rendered before any request is sent: a document that cannot be rendered costs no request
    const planned = this.plans.map((plan) => {
      const missing: Missing[] = [];
      const slots: Slot[] = [];
      for (const [at, document] of documents.entries()) {
        if (isLeftToUser(document, plan.name)) continue;
        slots.push(this.slot(at, document, plan, missing));
      }
      return { plan, slots, missing };
    });
    const batches: Batch[] = planned.map((batch) => ({ ...batch, made: this.begun(batch) }));
    const drop = (): void => {
      for (const { made } of batches) made?.drop();
    };
    return { finish: () => this.finished(documents, batches, drop), drop };
  }

  private finished(
    documents: readonly EmbeddableDocument[],
    batches: readonly Batch[],
    drop: () => void,
  ): JsonObject[] {
    if (batches.length === 0) return documents.map(({ whole }) => whole);
    this.context.onProgress('extracting embeddings', 0, 1);
    const made = new Map<number, Record<string, StoredVectors>>();
    try {
      for (const batch of batches) this.take(batch, documents);
    } catch (error) {
      drop();
      throw error;
    }
    for (const { plan, slots } of batches)
      for (const { at, vectors } of slots)
        made.set(at, { ...made.get(at), [plan.name]: { embeddings: vectors as number[][], regenerate: true } });
    return documents.map(({ whole }, at) => {
      const vectors = made.get(at);
      return vectors === undefined ? whole : { ...whole, _vectors: { ...(whole['_vectors'] as object), ...vectors } };
    });
  }

  /** Which vectors of a document are known; `missing` lists the inputs without one. */
  private slot(at: number, document: EmbeddableDocument, plan: EmbedderPlan, missing: Missing[]): Slot {
    const { externalId, whole, before } = document;
    const inputs = renderInputs(
      plan.recipe,
      documentVariables(whole, (name) => isSearchableField(name, this.settings)),
      externalId,
    );
    const known = before === undefined ? undefined : this.known(before, plan);
    const isSame = known !== undefined && isEqual(known.texts, inputs.map(textOf));
    // given vectors that stay in use until the text changes may differ in number from the inputs
    if (isSame && known.vectors.length > 0) return { at, plan, vectors: [...known.vectors] };
    const isByInput = known !== undefined && known.vectors.length === known.texts.length;
    const slot: Slot = { at, plan, vectors: new Array(inputs.length).fill(undefined) };
    for (const [vectorAt, input] of inputs.entries()) {
      const knownAt = isByInput ? known.texts.indexOf(textOf(input)) : -1;
      if (knownAt >= 0) slot.vectors[vectorAt] = known!.vectors[knownAt]!;
      else missing.push({ slot, vectorAt, input });
    }
    return slot;
  }

  /** Inputs and vectors of the stored version, if the same embedder configuration made them. */
  private known(
    before: JsonObject,
    { name, previous }: EmbedderPlan,
  ): { readonly texts: readonly string[]; readonly vectors: StoredVectors['embeddings'] } | undefined {
    const stored = entryOf(before, name);
    if (previous === null || stored?.regenerate !== true || !this.hasSize(name, stored)) return undefined;
    try {
      const inputs = renderInputs(
        previous,
        documentVariables(before, (name) => isSearchableField(name, this.settings)),
        '',
      );
      return { texts: inputs.map(textOf), vectors: stored.embeddings };
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  /** Whether vectors have the embedder's present size: others would not be searched. */
  private hasSize(name: string, { embeddings }: StoredVectors): boolean {
    const dimCount = this.rules.get(name)?.dimCount ?? null;
    return dimCount === null || embeddings.every(({ length }) => length === dimCount);
  }

  private begun({ plan, missing }: Omit<Batch, 'made'>): PendingVectors | null {
    if (missing.length === 0 || this.maker === undefined) return null;
    const inputs = missing.map(({ input }) => input);
    let isReported = false;
    const onRequest: MakeOptions['onRequest'] = (report) => {
      this.context.onEmbedderRequest?.(report);
      if (!isReported) this.wantedCount += report.requestCount ?? 1;
      isReported = true;
      if (report.isSuccess) this.doneCount += 1;
      this.context.onProgress('embedding request', this.doneCount, Math.max(this.doneCount, this.wantedCount));
    };
    return this.maker.begin(plan.config, inputs, { isCanceled: this.context.isCanceled, onRequest });
  }

  private take({ plan, missing, made }: Batch, documents: readonly EmbeddableDocument[]): void {
    if (missing.length === 0) return;
    const idOf = (at: number): string => documents[missing[at]?.slot.at ?? 0]!.externalId;
    const vectors = makeVectors(
      this.context,
      () => {
        if (made !== null) return made.take();
        throw new EmbeddingError('configuration', 'Nothing here makes vectors.', { inputIndex: 0 });
      },
      (fault) => {
        const { message, inputIndex = 0 } = fault;
        const error = apiError('vector_embedding_error', 'notEmbedded', plan.name, idOf(inputIndex), message);
        return isOfInput(fault) ? new DocumentRefused(error.code, error.message) : error;
      },
    );
    const dimCount = this.rules.get(plan.name)?.dimCount ?? null;
    for (const [at, vector] of vectors.entries()) {
      if (dimCount !== null && vector.length !== dimCount)
        throw apiError('vector_embedding_error', 'wrongDimensions', plan.name, vector.length, idOf(at), dimCount);
      const { slot, vectorAt } = missing[at]!;
      slot.vectors[vectorAt] = Array.from(vector);
    }
  }
}

/** Calls a vector maker for a running batch; `faultOf` makes an ApiError vector_embedding_error of its faults. */
export function makeVectors<T>(
  { isCanceled, onEmbedderRequest }: WriteContext,
  work: (options: MakeOptions) => T,
  faultOf: (error: EmbeddingError) => ApiError,
): T {
  try {
    return work({ isCanceled, onRequest: onEmbedderRequest ?? (() => {}) });
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    if (error.kind === 'aborted') throw new BatchCanceled(error.message);
    throw faultOf(error);
  }
}

function isLeftToUser({ whole, isGiven }: EmbeddableDocument, name: string): boolean {
  const entry = entryOf(whole, name);
  if (entry === undefined) return false;
  return !entry.regenerate || (isGiven(name) && entry.embeddings.length > 0);
}

/** The vectors of one configured embedder, in their stored form. */
function entryOf(document: JsonObject, name: string): StoredVectors | undefined {
  const vectors = document['_vectors'];
  const entry = isVectorMap(vectors) ? own(vectors, name) : undefined;
  return isVectorMap(entry) && Array.isArray(entry['embeddings']) ? (entry as typeof entry & StoredVectors) : undefined;
}

/** A key that is equal for equal inputs. */
const textOf = (input: EmbedderInput): string => (input.kind === 'text' ? input.text : JSON.stringify(input.value));
function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}
