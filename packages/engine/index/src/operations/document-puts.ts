import type { ApiError, DocId } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';

import { isNewEntry } from '@fossick/vectors';
import { DocumentEmbedder, type EmbeddableDocument, plansOf } from '../embedding/document-embedder.js';
import { EmbeddingLine } from '../embedding/embedding-line.js';
import type { VectorMaker } from '../embedding/vector-maker.js';
import type { IndexTransaction } from '../transaction/index-transaction.js';
import type { PreparedDocument, PutMode } from '../transaction/prepared-document.js';
import type { WriteContext } from '../transaction/write-context.js';

/**
 * Documents that are embedded together: enough for full requests, few enough that the next ones are requested while
 * some are stored.
 */
const TOGETHER_MAX = 1_000;
/**
 * Approximate bytes of such a piece, from the stored rows and the texts of the fields; several pieces are in memory at
 * once.
 */
const TOGETHER_BYTES_MAX = 4 << 20;
const DOCUMENT_BYTES = 512;

interface Waiting extends EmbeddableDocument {
  readonly prepared: PreparedDocument;
  readonly onStored: ((docId: DocId) => void) | undefined;
  readonly onFailed: ((error: ApiError) => void) | undefined;
}

/**
 * Stores documents one after another, or a piece at a time where embedders make vectors. Call `flush` after the last
 * one, and `close` in any case at the end.
 */
export class DocumentPuts {
  private readonly transaction: IndexTransaction;
  private readonly waiting = new Map<string, Waiting>();
  /** Ids of documents whose vectors are being made. */
  private readonly embedding = new Set<string>();
  private readonly embedder: DocumentEmbedder;
  private readonly line: EmbeddingLine<Waiting>;
  private waitingBytes = 0;

  /** `skipsFaulty`: a document whose vectors cannot be made is given to its `onFailed`. */
  constructor(
    transaction: IndexTransaction,
    maker: VectorMaker | undefined,
    context: WriteContext,
    skipsFaulty = false,
  ) {
    this.transaction = transaction;
    const { settings } = transaction;
    this.embedder = new DocumentEmbedder(plansOf(settings), settings, maker, context);
    this.line = new EmbeddingLine(
      this.embedder,
      ({ externalId, prepared, onStored }, whole) => {
        const docId = this.transaction.store({ ...prepared, whole });
        this.embedding.delete(externalId);
        onStored?.(docId);
      },
      () => context.onProgress('computing document changes', 0, 1),
      skipsFaulty ? (waiting, error) => this.fail(waiting, error) : undefined,
    );
  }

  /**
   * Stores a document under its id, now or later, and then reports its docid; false when it is skipped. `mode` as for
   * IndexTransaction.prepare. Throws ApiError for a wrong document or, possibly later, for its
   * vectors: those are given to `onFailed` where they concern only this document, and it is not stored.
   */
  put(
    externalId: string,
    document: JsonObject,
    mode: PutMode,
    onStored?: (docId: DocId) => void,
    onFailed?: (error: ApiError) => void,
  ): boolean {
    const isEmbedded = this.embedder.plans.length > 0;
    // a repeated id must be applied on top of its previous version
    if (isEmbedded && (this.waiting.has(externalId) || this.embedding.has(externalId))) this.flush();
    const prepared = this.transaction.prepare(externalId, document, mode);
    if (prepared === undefined) return false;
    if (!isEmbedded) {
      const docId = this.transaction.store(prepared);
      onStored?.(docId);
      return true;
    }
    this.wait(prepared, document, { onStored, onFailed });
    return true;
  }

  /** Stores all waiting documents. */
  flush(): void {
    this.begin();
    this.line.flush();
  }

  /** Drops documents that are not stored yet, after a failure. */
  close(): void {
    this.waiting.clear();
    this.embedding.clear();
    this.line.close();
  }

  private fail({ externalId, onFailed }: Waiting, error: ApiError): void {
    this.embedding.delete(externalId);
    onFailed?.(error);
  }

  private begin(): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.waitingBytes = 0;
    for (const { externalId } of waiting) this.embedding.add(externalId);
    this.line.push(waiting);
  }

  private wait(prepared: PreparedDocument, document: JsonObject, ends: Pick<Waiting, 'onStored' | 'onFailed'>): void {
    const { externalId, whole } = prepared;
    const before = prepared.before === undefined ? undefined : this.transaction.decoded(prepared.before);
    // an edit function also hands back the stored vectors
    const isGiven = (name: string): boolean => isNewEntry(document['_vectors'], before?.['_vectors'], name);
    this.waiting.set(externalId, { externalId, whole, before, isGiven, prepared, ...ends });
    this.waitingBytes += DOCUMENT_BYTES + (prepared.before?.length ?? 0) * 2 + textLength(document);
    if (this.waiting.size >= TOGETHER_MAX || this.waitingBytes >= TOGETHER_BYTES_MAX) this.begin();
  }
}

function textLength(document: JsonObject): number {
  let length = 0;
  for (const value of Object.values(document)) length += typeof value === 'string' ? value.length : 16;
  return length;
}
