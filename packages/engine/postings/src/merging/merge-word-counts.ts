import { getChunks, type MergeSource, PARTS, type RowSource } from '@fossick/format';
import { decodeWordCounts, WordCountTable } from '../bytes/word-counts.js';

/** The word counts of documents that are not deleted, as one part. */
export function mergeWordCounts(rows: RowSource, sources: readonly MergeSource[]): Uint8Array {
  const table = new WordCountTable();
  for (const { info, deletedDocs } of sources) {
    const bytes = getChunks(rows, info.id, PARTS.wordCounts);
    if (bytes === undefined) continue;
    for (const { fieldId, wordCount, docIds } of decodeWordCounts(bytes)) {
      for (const docId of docIds) if (!deletedDocs.has(docId)) table.add(fieldId, wordCount, docId);
    }
  }
  return table.encode();
}
