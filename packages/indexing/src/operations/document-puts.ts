import { type DocId, own } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';

import { isVectorMap } from '@fossick/segments';
import { DocumentEmbedder, type EmbeddableDocument, plansOf } from '../embedding/document-embedder.js';
import { EmbeddingLine } from '../embedding/embedding-line.js';
import type { VectorMaker } from '../embedding/vector-maker.js';
import type { IndexTransaction } from '../transaction/index-transaction.js';
import type { PreparedDocument } from '../transaction/prepared-document.js';
import type { WriteContext } from '../transaction/write-context.js';

/** Documents that get their vectors together: enough for full requests, few enough that the next of them are asked for while some are stored. */
const TOGETHER_MAX = 1_000;
/** Rough bytes of them, by the rows before and the texts of their fields; some pieces are under way at once. */
const TOGETHER_BYTES_MAX = 4 << 20;
const DOCUMENT_BYTES = 512;

interface Waiting extends EmbeddableDocument {
  readonly draft: PreparedDocument;
  readonly onStored: ((docId: DocId) => void) | undefined;
}

/** Puts documents one after another; where embedders make vectors, a piece at a time. `flush` is due after the last, and `close` at the end of all. */
export class DocumentPuts {
  private readonly transaction: IndexTransaction;
  private readonly waiting = new Map<string, Waiting>();
  /** Ids of documents that are on their way through the embedders. */
  private readonly embedding = new Set<string>();
  private readonly embedder: DocumentEmbedder;
  private readonly line: EmbeddingLine<Waiting>;
  private waitingBytes = 0;

  constructor(transaction: IndexTransaction, maker: VectorMaker | undefined, context: WriteContext) {
    this.transaction = transaction;
    const { settings } = transaction;
    this.embedder = new DocumentEmbedder(plansOf(settings), settings, maker, context);
    this.line = new EmbeddingLine(
      this.embedder,
      ({ externalId, draft, onStored }, whole) => {
        const docId = this.transaction.store({ ...draft, whole });
        this.embedding.delete(externalId);
        onStored?.(docId);
      },
      () => context.onProgress('computing document changes', 0, 1),
    );
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
    onStored?: (docId: DocId) => void,
  ): boolean {
    const isEmbedded = this.embedder.plans.length > 0;
    // an id that comes again builds on what it was the time before
    if (isEmbedded && (this.waiting.has(externalId) || this.embedding.has(externalId))) this.flush();
    const draft = this.transaction.draft(externalId, document, merge, skipCreation);
    if (draft === undefined) return false;
    if (!isEmbedded) {
      const docId = this.transaction.store(draft);
      onStored?.(docId);
      return true;
    }
    this.wait(draft, document, onStored);
    return true;
  }

  /** Stores what waits. */
  flush(): void {
    this.begin();
    this.line.flush();
  }

  /** Gives up what was neither stored nor flushed, because something failed. */
  close(): void {
    this.waiting.clear();
    this.embedding.clear();
    this.line.close();
  }

  private begin(): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.waitingBytes = 0;
    for (const { externalId } of waiting) this.embedding.add(externalId);
    this.line.push(waiting);
  }

  private wait(draft: PreparedDocument, document: JsonObject, onStored: Waiting['onStored']): void {
    const { externalId, whole } = draft;
    const before = draft.before === undefined ? undefined : this.transaction.decoded(draft.before);
    const isGiven = (name: string): boolean => isNewEntry(document['_vectors'], before?.['_vectors'], name);
    this.waiting.set(externalId, { externalId, whole, before, isGiven, draft, onStored });
    this.waitingBytes += DOCUMENT_BYTES + (draft.before?.length ?? 0) * 2 + textLength(document);
    if (this.waiting.size >= TOGETHER_MAX || this.waitingBytes >= TOGETHER_BYTES_MAX) this.begin();
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
