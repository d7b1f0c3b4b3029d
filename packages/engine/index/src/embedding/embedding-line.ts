import { ApiError } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';
import {
  type DocumentEmbedder,
  DocumentRefused,
  type EmbeddableDocument,
  type PendingDocuments,
} from './document-embedder.js';

/**
 * Pieces that may wait for their vectors while documents of the next one are collected: with two, a provider is never
 * idle while a piece is stored.
 */
const PIECES_MAX = 2;

/**
 * Documents that a provider may refuse one by one. Each is found by halving its piece, which costs up to ten requests;
 * where a provider refuses more, it is the provider that is wrong.
 */
const REFUSED_MAX = 100;

interface Piece<D> {
  readonly documents: readonly D[];
  readonly pending: PendingDocuments;
}

/**
 * A pipeline of documents through an embedder: while the vectors of some pieces are made, the previous piece is stored
 * and the next one collected. `store` gets each document with its vectors, in the order of arrival.
 */
export class EmbeddingLine<D extends EmbeddableDocument> {
  private readonly embedder: DocumentEmbedder;
  private readonly store: (document: D, whole: JsonObject) => void;
  /** Called before a piece is stored. */
  private readonly onStoring: () => void;
  /** Called for a document that cannot be embedded; undefined where it fails all documents. */
  private readonly onFailed: ((document: D, error: ApiError) => void) | undefined;
  private refusedCount = 0;
  private readonly pieces: Piece<D>[] = [];

  constructor(
    embedder: DocumentEmbedder,
    store: (document: D, whole: JsonObject) => void,
    onStoring: () => void,
    onFailed?: (document: D, error: ApiError) => void,
  ) {
    this.embedder = embedder;
    this.store = store;
    this.onStoring = onStoring;
    this.onFailed = onFailed;
  }

  /**
   * Begins a piece, and stores the oldest one where too many are waiting. Throws ApiError, also for a document of an
   * earlier piece.
   */
  push(documents: readonly D[]): void {
    if (documents.length === 0) return;
    this.pieces.push(...this.begun(documents));
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

  /** Begins documents; those that cannot be rendered are left out, which is found before a request is sent. */
  private begun(documents: readonly D[]): Piece<D>[] {
    try {
      return [{ documents, pending: this.embedder.begin(documents) }];
    } catch (error) {
      if (!(error instanceof ApiError) || this.onFailed === undefined) throw error;
      if (error.code !== 'invalid_document_fields') throw error;
      return this.divided(documents, error).flatMap((part) => this.begun(part));
    }
  }

  private storeFirst(): void {
    const { documents, pending } = this.pieces.shift()!;
    const embedded = this.finished(documents, pending);
    this.onStoring();
    for (const [document, whole] of embedded) this.store(document, whole);
  }

  /** The documents with their vectors, without those that a provider refuses. */
  private finished(documents: readonly D[], pending: PendingDocuments): (readonly [D, JsonObject])[] {
    try {
      return pending.finish().map((whole, at) => [documents[at]!, whole] as const);
    } catch (error) {
      if (!(error instanceof DocumentRefused) || this.onFailed === undefined) throw error;
      if (this.refusedCount >= REFUSED_MAX) throw error;
      if (documents.length === 1) this.refusedCount += 1;
      return this.divided(documents, error).flatMap((part) => this.finished(part, this.embedder.begin(part)));
    }
  }

  /** Halves of documents with a faulty one among them; none where it is the only one, which is reported. */
  private divided(documents: readonly D[], error: ApiError): (readonly D[])[] {
    const [first, last] = [documents[0]!, documents.at(-1)!];
    if (first === last) {
      this.onFailed?.(first, error);
      return [];
    }
    const half = documents.length >> 1;
    return [documents.slice(0, half), documents.slice(half)];
  }
}
