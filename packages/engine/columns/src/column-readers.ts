import type { ColumnReader } from './column-reader.js';
import type { GeoPoints } from './geo-points.js';
import type { ColumnView } from './port.js';

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
