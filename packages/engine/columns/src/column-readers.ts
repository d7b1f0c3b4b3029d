import type { ColumnView } from './port.js';
import type { ColumnReader } from './reading/column-reader.js';
import type { GeoPoints } from './reading/geo-points.js';

/** The field's columns, one for each segment that has it. */
export function columnReaders(view: ColumnView, field: string): ColumnReader[] {
  const open: ColumnReader[] = [];
  for (const segment of view.segments) {
    const column = segment.column(field);
    if (column !== undefined) open.push(column);
  }
  return open;
}

/** The points of each segment that has any. */
export function geoPoints(view: ColumnView): GeoPoints[] {
  return view.segments.flatMap((segment) => segment.geoPoints() ?? []);
}
