import type { IndexView } from './index-view.js';

/** The stored object of a document that the view has: one that a search found, for instance. */
export function liveDocument(view: IndexView, docId: number): Record<string, unknown> {
  const document = view.document(docId);
  if (document === undefined) throw new Error(`the live document ${docId} of index ${view.uid} has no row`);
  return document;
}
