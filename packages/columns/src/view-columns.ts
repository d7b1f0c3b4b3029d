import type { GeoPoints } from './geo-points.js';
import type { OpenColumn } from './open-column.js';
import type { ColumnView } from './port.js';

/** The field's columns, one for each segment that has it. */
export function openColumns(view: ColumnView, field: string): OpenColumn[] {
  const open: OpenColumn[] = [];
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
