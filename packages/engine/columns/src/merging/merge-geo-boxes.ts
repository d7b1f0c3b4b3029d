import { columnsIdOf, getChunks, type MergeSource, PARTS, type RowSource } from '@fossick/format';
import { GeoBoxWriter, visitGeoBoxes } from '../geo/box-rows.js';

/** The boxes around shapes of documents that are not deleted, as one part. */
export function mergeGeoBoxes(rows: RowSource, sources: readonly MergeSource[]): Uint8Array {
  const merged = new GeoBoxWriter();
  for (const { info, deletedDocs } of sources) {
    const bytes = getChunks(rows, columnsIdOf(info), PARTS.geoBoxes);
    if (bytes === undefined) continue;
    visitGeoBoxes(bytes, (docId, box) => {
      if (!deletedDocs.has(docId)) merged.add(docId, box);
    });
  }
  return merged.encode();
}
