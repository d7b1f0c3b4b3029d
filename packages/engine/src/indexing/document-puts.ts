import { own } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';

import { isVectorMap } from '../documents/vectors.js';
import { DocumentEmbedder, type EmbeddableDocument, plansOf } from '../embedding/document-embedder.js';
import type { VectorMaker } from '../embedding/vector-maker.js';
import type { WriteContext } from '../port.js';
import type { DocumentDraft } from './document-draft.js';
import type { IndexTransaction } from './index-transaction.js';

/** Documents that get their vectors together: enough that a provider is kept busy, few enough to lie in memory. */
const TOGETHER_MAX = 4_000;
/** Rough bytes of them, by the rows before and the texts of their fields. */
const TOGETHER_BYTES_MAX = 16 << 20;
const DOCUMENT_BYTES = 512;

interface Waiting extends EmbeddableDocument {
  readonly draft: DocumentDraft;
  readonly onStored: ((docId: number) => void) | undefined;
}

/** Puts documents one after another; where embedders make vectors, a chunk at a time, and `flush` is due after the last. */
export class DocumentPuts {
  readonly #waiting = new Map<string, Waiting>();
  readonly #embedder: DocumentEmbedder;
  #waitingBytes = 0;

  constructor(
    private readonly transaction: IndexTransaction,
    maker: VectorMaker | undefined,
    private readonly context: WriteContext,
  ) {
    const { settings } = transaction;
    this.#embedder = new DocumentEmbedder(plansOf(settings), settings, maker, context);
  }

  /**
   * Stores a document under its id, now or later, and tells its docid then; false when it is skipped. `merge` and `skipCreation` as
   * IndexTransaction.draft has them. Throws ApiError for what is wrong with it or, sooner or later, with its vectors.
   */
  put(
    externalId: string,
    document: JsonObject,
    merge: boolean,
    skipCreation: boolean,
    onStored?: (docId: number) => void,
  ): boolean {
    const isEmbedded = this.#embedder.plans.length > 0;
    // an id that comes again builds on what it was the time before
    if (isEmbedded && this.#waiting.has(externalId)) this.flush();
    const draft = this.transaction.draft(externalId, document, merge, skipCreation);
    if (draft === undefined) return false;
    if (!isEmbedded) {
      const docId = this.transaction.store(draft);
      onStored?.(docId);
      return true;
    }
    this.#wait(draft, document, onStored);
    return true;
  }

  /** Stores what waits. */
  flush(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#waitingBytes = 0;
    if (waiting.length === 0) return;
    const documents = this.#embedder.embed(waiting);
    this.context.onProgress('computing document changes', 0, 1);
    for (const [at, whole] of documents.entries()) {
      const { draft, onStored } = waiting[at]!;
      const docId = this.transaction.store({ ...draft, whole });
      onStored?.(docId);
    }
  }

  #wait(draft: DocumentDraft, document: JsonObject, onStored: Waiting['onStored']): void {
    const { externalId, whole } = draft;
    const before = draft.before === undefined ? undefined : this.transaction.decoded(draft.before);
    const isGiven = (name: string): boolean => isNewEntry(document['_vectors'], before?.['_vectors'], name);
    this.#waiting.set(externalId, { externalId, whole, before, isGiven, draft, onStored });
    this.#waitingBytes += DOCUMENT_BYTES + (draft.before?.length ?? 0) * 2 + textLength(document);
    if (this.#waiting.size >= TOGETHER_MAX || this.#waitingBytes >= TOGETHER_BYTES_MAX) this.flush();
  }
}

/** Whether a document brings vectors of its own under a name: an edit function hands back those that were there. */
function isNewEntry(given: unknown, before: unknown, name: string): boolean {
  if (!isVectorMap(given) || !Object.hasOwn(given, name)) return false;
  if (!isVectorMap(before) || !Object.hasOwn(before, name)) return true;
  return JSON.stringify(own(given, name)) !== JSON.stringify(own(before, name));
}

function textLength(document: JsonObject): number {
  let length = 0;
  for (const value of Object.values(document)) length += typeof value === 'string' ? value.length : 16;
  return length;
}
