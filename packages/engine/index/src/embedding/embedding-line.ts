import type { JsonObject } from '@fossick/documents';
import type { DocumentEmbedder, EmbeddableDocument, PendingDocuments } from './document-embedder.js';

/**
 * Pieces that may wait for their vectors while documents of the next one are collected: with two, a provider is never
 * idle while a piece is stored.
 */
const PIECES_MAX = 2;

/**
 * A pipeline of documents through an embedder: while the vectors of some pieces are made, the previous piece is stored
 * and the next one collected. `store` gets each document with its vectors, in the order of arrival.
 */
export class EmbeddingLine<D extends EmbeddableDocument> {
  private readonly embedder: DocumentEmbedder;
  private readonly store: (document: D, whole: JsonObject) => void;
  /** Called before a piece is stored. */
  private readonly onStoring: () => void;
  private readonly pieces: { readonly documents: readonly D[]; readonly pending: PendingDocuments }[] = [];

  constructor(embedder: DocumentEmbedder, store: (document: D, whole: JsonObject) => void, onStoring: () => void) {
    this.embedder = embedder;
    this.store = store;
    this.onStoring = onStoring;
  }

  /**
   * Begins a piece, and stores the oldest one where too many are waiting. Throws ApiError, also for a document of an
   * earlier piece.
   */
  push(documents: readonly D[]): void {
    if (documents.length === 0) return;
    this.pieces.push({ documents, pending: this.embedder.begin(documents) });
    while (this.pieces.length > PIECES_MAX) this.storeFirst();
  }

  /** Stores all waiting pieces. */
  flush(): void {
    while (this.pieces.length > 0) this.storeFirst();
  }

  /** Drops all waiting pieces; does nothing when everything is stored. */
  close(): void {
    for (const { pending } of this.pieces.splice(0)) pending.drop();
  }

  private storeFirst(): void {
    const { documents, pending } = this.pieces.shift()!;
    const embedded = pending.finish();
    this.onStoring();
    for (const [at, whole] of embedded.entries()) this.store(documents[at]!, whole);
  }
}
