import { type DocId, libraryLoader } from '@fossick/base';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import type * as turf from '@turf/boolean-intersects';
import { boxesMeet, visitGeoBoxes } from './box-rows.js';
import type { Region } from './region.js';
import { geometriesOf } from './shape.js';

const requireHere = libraryLoader(import.meta.url);

/** The part of a view that shape filters need. */
interface ShapeView {
  readonly kernel: Kernel;
  /** `deleted`: documents deleted or rewritten since, 0 when none. */
  readonly segments: readonly { readonly deleted: Bitmap | None; geoBoxes(): Uint8Array | undefined }[];
  /** The stored JSON object, or undefined. */
  document(docId: DocId): Record<string, unknown> | undefined;
}

/**
 * Documents whose `_geojson` meets one of the regions, borders included. Tests boxes first, then the stored shapes of
 * documents whose box meets: O(shapes + size of the candidates' shapes).
 */
export function shapeMatches(view: ShapeView, regions: readonly Region[]): number[] {
  // Loaded on demand: only indexes with shapes need the geometry library.
  const { booleanIntersects } = requireHere('@turf/boolean-intersects') as typeof turf;
  const found: number[] = [];
  for (const segment of view.segments) {
    const bytes = segment.geoBoxes();
    if (bytes === undefined) continue;
    visitGeoBoxes(bytes, (docId, box) => {
      if (segment.deleted !== 0 && view.kernel.bitmaps.has(segment.deleted, docId)) return;
      const near = regions.filter((region) => boxesMeet(region.box, box));
      if (near.length === 0) return;
      const shapes = geometriesOf(view.document(docId)?.['_geojson'] ?? { type: 'FeatureCollection', features: [] });
      const meets = shapes.some((shape) => near.some(({ polygon }) => booleanIntersects(shape, polygon)));
      if (meets) found.push(docId);
    });
  }
  return found;
}
