import type { DocId, DocIds } from '@fossick/base';
import { DocSet, type IndexManifest, type RowSink } from '@fossick/format';
import { LIVE_PAGES, StoredDocs } from './doc-pages.js';

/** The live documents of an index as a running batch sees them, and the docid of a new one: the least free one. */
export class LiveDocuments {
  private readonly docs: StoredDocs;
  /**
   * Greater than all docids in segments: it falls only when no segment is left, because lists still contain deleted
   * documents.
   */
  private docIdBound: number;
  /** No docid below this is free. */
  private freeFrom: number;
  /**
   * Docids of documents deleted in this commit: reused if the same document is added again, and free for others only in the
   * next commit.
   */
  private readonly leftBy = new Map<string, DocId>();
  private readonly leaving = new DocSet();

  /** @param rows the rows of the currently open transaction */
  constructor(rows: RowSink, { documentCount, docIdBound, freeFrom = 0 }: IndexManifest) {
    this.docs = new StoredDocs(rows, LIVE_PAGES, documentCount);
    this.docIdBound = docIdBound;
    this.freeFrom = freeFrom;
  }

  get count(): number {
    return this.docs.count;
  }

  add(docId: DocId): void {
    this.docs.add(docId);
    this.docIdBound = Math.max(this.docIdBound, docId + 1);
  }

  delete(docId: DocId): void {
    this.docs.delete(docId);
  }

  /** Records that the document of an external id was deleted in this commit. */
  leave(externalId: string, docId: DocId): void {
    this.leftBy.set(externalId, docId);
    this.leaving.add(docId);
  }

  /** The docid of a document that was deleted in this commit. */
  leftId(externalId: string): DocId | undefined {
    return this.leftBy.get(externalId);
  }

  allot(): DocId {
    let docId = this.docs.nextFree(this.freeFrom);
    while (this.leaving.has(docId)) docId = this.docs.nextFree(docId + 1);
    this.freeFrom = docId + 1;
    return docId;
  }

  /** Undoes `allot`. */
  release(externalId: string, docId: DocId): void {
    this.leftBy.delete(externalId);
    this.leaving.delete(docId);
    this.freeFrom = Math.min(this.freeFrom, docId);
  }

  clear(): void {
    this.docs.clear();
    this.leftBy.clear();
    this.leaving.clear();
    this.docIdBound = 0;
    this.freeFrom = 0;
  }

  /** Docids of all live documents, in ascending order. O(documents) */
  toArray(): DocIds {
    return this.docs.toArray(this.docIdBound);
  }

  /** Writes the changes; returns the written pages (StoredDocs.write), and the manifest's entries on live documents. */
  write(): {
    readonly pages: readonly number[] | null;
    readonly counts: Pick<IndexManifest, 'documentCount' | 'docIdBound' | 'freeFrom'>;
  } {
    const pages = this.docs.write();
    // free for others from the next commit on
    let freeFrom = this.freeFrom;
    for (const docId of this.leftBy.values()) if (docId < freeFrom && !this.docs.has(docId)) freeFrom = docId;
    const documentCount = this.docs.count;
    return { pages, counts: { documentCount, docIdBound: documentCount === 0 ? 0 : this.docIdBound, freeFrom } };
  }
}
