import { unreachable } from '@fossick/base';
import type { FilterNode, FilterValue, GeoPair } from './tree.js';

const WORD_OF = {
  exists: 'EXISTS',
  null: 'IS NULL',
  empty: 'IS EMPTY',
  contains: 'CONTAINS',
  startsWith: 'STARTS WITH',
  under: 'UNDER',
} as const;

/** The canonical text of a filter; parsing it gives the same tree. O(size) */
export function canonicalText(node: FilterNode): string {
  return written(node, undefined).text;
}

/**
 * The same, with the position of the token in it, by UTF-16 offsets without quotes; at the very start when the token is
 * not in the tree.
 */
export function rangeInCanonicalText(
  node: FilterNode,
  token: FilterValue,
): { readonly text: string; readonly start: number; readonly end: number } {
  const { text, start, end } = written(node, token);
  return { text, start, end };
}

function written(node: FilterNode, wanted: FilterValue | undefined): CanonicalWriter {
  const writer = new CanonicalWriter(wanted);
  writer.node(node);
  return writer;
}

/** Writes a tree, whose depth the parser limits, and remembers the position of one token. */
class CanonicalWriter {
  private readonly wanted: FilterValue | undefined;
  text = '';
  start = 0;
  end = 0;

  constructor(wanted: FilterValue | undefined) {
    this.wanted = wanted;
  }

  node(node: FilterNode): void {
    switch (node.kind) {
      case 'and':
      case 'or':
        return this.list(node.items, ` ${node.kind.toUpperCase()} `, (item) => this.parenthesized('(', item));
      case 'not':
        return this.parenthesized('NOT (', node.item);
      case 'compare':
        this.quoted(node.field);
        this.text += ` ${node.operator} `;
        return this.quoted(node.value);
      case 'in':
        this.quoted(node.field);
        this.text += ' IN [';
        this.list(node.values, ', ', (value) => this.quoted(value));
        this.text += ']';
        return;
      case 'between':
        this.quoted(node.field);
        this.text += ' ';
        this.quoted(node.from);
        this.text += ' TO ';
        return this.quoted(node.to);
      case 'exists':
      case 'null':
      case 'empty':
        this.quoted(node.field);
        this.text += ` ${WORD_OF[node.kind]}`;
        return;
      case 'contains':
      case 'startsWith':
      case 'under':
        this.quoted(node.field);
        this.text += ' ';
        this.token(node.operator, WORD_OF[node.kind]);
        this.text += ' ';
        return this.quoted(node.value);
      case 'element':
        this.quoted(node.field);
        this.text += '[';
        this.node(node.condition);
        this.text += ']';
        return;
      default:
        return this.special(node);
    }
  }

  private special(
    node: Extract<FilterNode, { kind: 'geoRadius' | 'geoBox' | 'geoPolygon' | 'vectors' | 'foreign' }>,
  ): void {
    this.token(node.name, node.name.text);
    switch (node.kind) {
      case 'geoRadius': {
        const last = node.resolution === null ? [] : [node.resolution];
        this.text += '(';
        this.list([...node.center, node.radius, ...last], ', ', (value) => this.token(value, value.text));
        break;
      }
      case 'geoBox':
        this.text += '(';
        this.list([node.topRight, node.bottomLeft], ', ', (pair) => this.pair(pair));
        break;
      case 'geoPolygon':
        this.text += '(';
        this.list(node.points, ', ', (pair) => this.pair(pair));
        break;
      case 'vectors':
        if (node.embedder !== null) this.afterDot(node.embedder);
        if (node.part !== null) this.text += `.${node.part}`;
        if (node.fragment !== null) this.afterDot(node.fragment);
        this.text += ' EXISTS';
        return;
      case 'foreign':
        this.text += '(';
        this.quoted(node.field);
        this.text += ', ';
        this.node(node.condition);
        break;
      default:
        return unreachable(node);
    }
    this.text += ')';
  }

  private parenthesized(opening: string, node: FilterNode): void {
    this.text += opening;
    this.node(node);
    this.text += ')';
  }

  private list<T>(items: readonly T[], separator: string, write: (item: T) => void): void {
    items.forEach((item, index) => {
      if (index > 0) this.text += separator;
      write(item);
    });
  }

  private pair([lat, lng]: GeoPair): void {
    this.text += '[';
    this.token(lat, lat.text);
    this.text += ', ';
    this.token(lng, lng.text);
    this.text += ']';
  }

  private afterDot(value: FilterValue): void {
    this.text += '.';
    this.quoted(value);
  }

  private quoted(value: FilterValue): void {
    this.text += '"';
    this.token(value, JSON.stringify(value.text).slice(1, -1));
    this.text += '"';
  }

  private token(token: FilterValue, piece: string): void {
    if (token === this.wanted) [this.start, this.end] = [this.text.length, this.text.length + piece.length];
    this.text += piece;
  }
}
