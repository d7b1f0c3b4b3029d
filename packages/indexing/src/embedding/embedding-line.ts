import type { JsonObject } from '@fossick/documents';
import type { DocumentEmbedder, EmbeddableDocument, PendingDocuments } from './document-embedder.js';

/** Pieces whose vectors are being made while documents of the next are collected: enough that a provider has no pause while one is stored. */
const PIECES_MAX = 2;

/**
 * Documents on their way through an embedder, piece after piece: while the vectors of some pieces are made, the one before them is stored and the one behind
 * them collected. `store` gets each document with its vectors, in the order in which they came.
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

  /** Begins with a piece, and stores the one that was begun first where there are too many. Throws ApiError, also for a document of an earlier piece. */
  push(documents: readonly D[]): void {
    if (documents.length === 0) return;
    this.pieces.push({ documents, pending: this.embedder.begin(documents) });
    while (this.pieces.length > PIECES_MAX) this.storeFirst();
  }

  /** Stores what is left. */
  flush(): void {
    while (this.pieces.length > 0) this.storeFirst();
  }

  /** Gives up what is on its way; nothing where all is stored. */
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
