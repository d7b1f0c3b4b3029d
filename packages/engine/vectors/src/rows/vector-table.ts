import type { DocId, DocIds } from '@fossick/base';
import { givenVectors } from './document-vectors.js';

/** Rough bytes of a vector while its segment is built, besides its numbers: its entry here, and in a graph. */
const VECTOR_BYTES = 320;
/** Bytes of a number: as collected, in its table when the segment is written, and in its code. */
const NUMBER_BYTES = 9;
/** Bytes of a vector until its segment is written. */
const bytesOf = (vector: Float32Array): number => vector.length * NUMBER_BYTES + VECTOR_BYTES;
/** A name and a number of dimensions as a map key. */
export const keyOf = (name: string, dimCount: number): string => `${dimCount}:${name}`;

/**
 * The vectors of one segment under one name and of one dimension: `docIds[i]` owns `values[i * dimCount ..]`. A document with several vectors occurs
 * several times, consecutively.
 */
export interface VectorTable {
  readonly name: string;
  readonly dimCount: number;
  readonly docIds: DocIds;
  readonly values: Float32Array;
}

interface TermDictionaryReader {
  readonly name: string;
  readonly dimCount: number;
  readonly byDocument: Map<number, readonly Float32Array[]>;
}

/**
 * The vectors of one segment while it is built. Vectors under names without an embedder are collected too, for an
 * embedder that is configured later. A document without `_vectors` costs nothing.
 */
export class VectorCollector {
  private readonly tables = new Map<string, TermDictionaryReader>();
  private bytes = 0;

  get heldBytes(): number {
    return this.bytes;
  }

  /** @param vectors the document's `_vectors`; values that are no vectors are skipped */
  add(docId: DocId, vectors: unknown): void {
    for (const [name, embeddings] of givenVectors(vectors))
      for (const embedding of embeddings) {
        if (embedding.length > 0) this.addVector(docId, name, Float32Array.from(embedding));
      }
  }

  addVector(docId: DocId, name: string, vector: Float32Array): void {
    const key = keyOf(name, vector.length);
    let table = this.tables.get(key);
    if (table === undefined) {
      table = { name, dimCount: vector.length, byDocument: new Map() };
      this.tables.set(key, table);
    }
    table.byDocument.set(docId, [...(table.byDocument.get(docId) ?? []), vector]);
    this.bytes += bytesOf(vector);
  }

  /** Removes the document's vectors. O(tables). */
  remove(docId: DocId): void {
    for (const { byDocument } of this.tables.values()) {
      for (const vector of byDocument.get(docId) ?? []) this.bytes -= bytesOf(vector);
      byDocument.delete(docId);
    }
  }

  /** The non-empty tables, documents ascending. O(numbers). */
  close(): VectorTable[] {
    return [...this.tables.values()].map(closedTable).filter(({ docIds }) => docIds.length > 0);
  }
}

function closedTable({ name, dimCount, byDocument }: TermDictionaryReader): VectorTable {
  const entries = [...byDocument].sort(([left], [right]) => left - right);
  const docIds = Uint32Array.from(entries.flatMap(([docId, vectors]) => vectors.map(() => docId))) as DocIds;
  const values = new Float32Array(docIds.length * dimCount);
  let at = 0;
  for (const [, vectors] of entries)
    for (const vector of vectors) {
      values.set(vector, at);
      at += dimCount;
    }
  return { name, dimCount, docIds, values };
}
