import { unreachable } from '@fossick/base';
import type { FilterNode, FilterValue, GeoPair } from './tree.js';

const quoted = (value: FilterValue): string => JSON.stringify(value.text);
const pair = ([lat, lng]: GeoPair): string => `[${lat.text}, ${lng.text}]`;
const WORD_OF = {
  exists: 'EXISTS',
  null: 'IS NULL',
  empty: 'IS EMPTY',
  contains: 'CONTAINS',
  startsWith: 'STARTS WITH',
} as const;

/** The text a filter is evaluated from (spec 12 section 5.2); parsing it gives the same tree. O(size). */
export function canonicalText(node: FilterNode): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.items.map((item) => `(${canonicalText(item)})`).join(` ${node.kind.toUpperCase()} `);
    case 'not':
      return `NOT (${canonicalText(node.item)})`;
    case 'compare':
      return `${quoted(node.field)} ${node.operator} ${quoted(node.value)}`;
    case 'in':
      return `${quoted(node.field)} IN [${node.values.map(quoted).join(', ')}]`;
    case 'between':
      return `${quoted(node.field)} ${quoted(node.from)} TO ${quoted(node.to)}`;
    case 'exists':
    case 'null':
    case 'empty':
      return `${quoted(node.field)} ${WORD_OF[node.kind]}`;
    case 'contains':
    case 'startsWith':
      return `${quoted(node.field)} ${WORD_OF[node.kind]} ${quoted(node.value)}`;
    case 'geoRadius': {
      const last = node.resolution === null ? [] : [node.resolution];
      const values = [...node.center, node.radius, ...last].map((value) => value.text);
      return `_geoRadius(${values.join(', ')})`;
    }
    case 'geoBox':
      return `_geoBoundingBox(${pair(node.topRight)}, ${pair(node.bottomLeft)})`;
    case 'geoPolygon':
      return `_geoPolygon(${node.points.map(pair).join(', ')})`;
    case 'vectors': {
      const embedder = node.embedder === null ? '' : `.${quoted(node.embedder)}`;
      const part = node.part === null ? '' : `.${node.part}`;
      const fragment = node.fragment === null ? '' : `.${quoted(node.fragment)}`;
      return `_vectors${embedder}${part}${fragment} EXISTS`;
    }
    case 'foreign':
      return `_foreign(${quoted(node.field)}, ${canonicalText(node.condition)})`;
    default:
      return unreachable(node);
  }
}
