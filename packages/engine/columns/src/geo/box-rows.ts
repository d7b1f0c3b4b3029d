import type { DocId } from '@fossick/base';
import type { GeoBox } from './shape.js';

/** `[u32 docid][f64 west][f64 south][f64 east][f64 north]`, little-endian, ascending by docid. */
const ENTRY_BYTES = 36;

/** The boxes of one segment's shapes while it is built: `_geo…` filters test them before they read documents. */
export class GeoBoxWriter {
  private readonly boxes = new Map<number, GeoBox>();

  get heldBytes(): number {
    return this.boxes.size * 120;
  }

  add(docId: DocId, box: GeoBox): void {
    this.boxes.set(docId, box);
  }

  remove(docId: DocId): void {
    this.boxes.delete(docId);
  }

  /** The part's bytes; empty when no document has a shape. */
  encode(): Uint8Array {
    const bytes = new Uint8Array(this.boxes.size * ENTRY_BYTES);
    const view = new DataView(bytes.buffer);
    [...this.boxes]
      .sort(([left], [right]) => left - right)
      .forEach(([docId, box], entry) => {
        view.setUint32(entry * ENTRY_BYTES, docId, true);
        for (const [at, edge] of box.entries()) view.setFloat64(entry * ENTRY_BYTES + 4 + at * 8, edge, true);
      });
    return bytes;
  }
}

/** Calls `visit` for every entry of a stored part. O(entries). */
export function visitGeoBoxes(bytes: Uint8Array, visit: (docId: DocId, box: GeoBox) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += ENTRY_BYTES) {
    const edge = (index: number): number => view.getFloat64(at + 4 + index * 8, true);
    visit(view.getUint32(at, true) as DocId, [edge(0), edge(1), edge(2), edge(3)]);
  }
}

export function boxesIntersect(left: GeoBox, right: GeoBox): boolean {
  return left[0] <= right[2] && right[0] <= left[2] && left[1] <= right[3] && right[1] <= left[3];
}
