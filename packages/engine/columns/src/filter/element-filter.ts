/** Conditions on the same element of an array: `variants[ color = red AND size = 42 ]`. */
import { compareBytes, unreachable, utf8Bytes } from '@fossick/base';
import { compareExact, type ExactNumber } from '@fossick/documents/stored';
import type { CompareOperator, FilterNode, FilterValue } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import type { IndexSettings } from '@fossick/settings';
import { collectFacetValues } from '../building/collect-values.js';
import { facetText } from '../bytes/facet-text.js';
import { hierarchyOf } from '../facets/hierarchy.js';
import { type ColumnView, liveDocument } from '../port.js';
import { boundOf } from './filter-number.js';

export type ElementNode = Extract<FilterNode, { kind: 'element' }>;
/** A condition on the values of one field. */
type LeafNode = Extract<
  FilterNode,
  { kind: 'compare' | 'in' | 'between' | 'exists' | 'null' | 'empty' | 'contains' | 'startsWith' | 'under' }
>;

/** The values of one field of an element, texts normalised. */
interface Values {
  readonly numbers: ExactNumber[];
  readonly texts: string[];
  isNull: boolean;
  isEmpty: boolean;
}
type Element = ReadonlyMap<string, Values>;
/** Whether an element satisfies a condition. */
type ElementTest = (element: Readonly<Record<string, unknown>>) => boolean;

/** How conditions on whole documents are evaluated. */
interface Evaluation {
  /** A new scratch bitmap. */
  readonly evaluate: (leaf: LeafNode) => Bitmap;
  /** Throws past the deadline. */
  readonly checkInterrupt: () => void;
}

/**
 * Sets the bits of documents with an element that satisfies the condition: columns find the documents that may have one, and each of
 * these is read. O(those documents)
 */
export function addElementDocs(view: ColumnView, docs: Bitmap, node: ElementNode, evaluation: Evaluation): void {
  const { bitmaps } = view.kernel;
  const test = elementTest(node, view.settings);
  const possible = possibleDocs(view, node.condition, node.field, evaluation);
  for (let doc = bitmaps.next(possible, 0); doc !== -1; doc = bitmaps.next(possible, doc + 1)) {
    evaluation.checkInterrupt();
    if (elementsAt(liveDocument(view, doc), node.field.text).some(test)) bitmaps.set(docs, doc);
  }
}

/** Documents that may have an element that satisfies the node: all with one that does, and more. */
function possibleDocs(view: ColumnView, node: FilterNode, field: FilterValue, evaluation: Evaluation): Bitmap {
  const { bitmaps } = view.kernel;
  if (node.kind === 'and' || node.kind === 'or') {
    const [first, ...others] = node.items.map((item) => possibleDocs(view, item, field, evaluation));
    const whole = bitmaps.copy(first!);
    for (const other of others)
      if (node.kind === 'and') bitmaps.and(whole, other);
      else bitmaps.or(whole, other);
    return whole;
  }
  const leaf = leafOf(node);
  if (leaf !== null && !(leaf.kind === 'compare' && leaf.operator === '!='))
    return evaluation.evaluate(ofDocument(leaf, field));
  // operators that are not enabled are refused in a negation, too
  for (const each of leavesOf(node)) evaluation.evaluate(ofDocument(each, field));
  return bitmaps.copy(view.documents);
}

/** The condition on the fields of whole documents: `color` of `variants` is `variants.color`. */
export function ofDocument(leaf: LeafNode, field: FilterValue): LeafNode {
  return { ...leaf, field: { ...leaf.field, text: `${field.text}.${leaf.field.text}` } };
}

/** A condition below connectives; null for connectives. */
function leafOf(node: FilterNode): LeafNode | null {
  switch (node.kind) {
    case 'compare':
    case 'in':
    case 'between':
    case 'exists':
    case 'null':
    case 'empty':
    case 'contains':
    case 'startsWith':
    case 'under':
      return node;
    default:
      return null;
  }
}

/** All conditions on fields in a tree, in its order. */
export function leavesOf(node: FilterNode): LeafNode[] {
  if (node.kind === 'and' || node.kind === 'or') return node.items.flatMap(leavesOf);
  if (node.kind === 'not') return leavesOf(node.item);
  const leaf = leafOf(node);
  return leaf === null ? [] : [leaf];
}

/** The objects at a path: those of arrays, or the one that is there. Names are joined by dots, arrays are transparent. */
function elementsAt(document: Readonly<Record<string, unknown>>, path: string): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  const walk = (field: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(field, item);
    else if (typeof value === 'object' && value !== null) {
      if (field === path) found.push(value as Record<string, unknown>);
      else if (path.startsWith(`${field}.`))
        for (const [key, inner] of Object.entries(value)) walk(`${field}.${key}`, inner);
    }
  };
  for (const [key, value] of Object.entries(document)) walk(key, value);
  return found;
}

/** The test of a condition, by the values that facet columns would have of an element. O(condition) to make */
function elementTest({ field, condition }: ElementNode, settings: IndexSettings): ElementTest {
  const test = testOf(condition, field.text, settings);
  const names = new Set(leavesOf(condition).map((leaf) => leaf.field.text));
  return (element) => test(valuesOf(element, names));
}

function valuesOf(element: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): Element {
  const values = new Map<string, Values>();
  collectFacetValues(
    element,
    (name) => names.has(name),
    (name, kind, value) => {
      let found = values.get(name);
      if (found === undefined) {
        found = { numbers: [], texts: [], isNull: false, isEmpty: false };
        values.set(name, found);
      }
      if (typeof value === 'string') found.texts.push(facetText(value));
      else if (value !== undefined) found.numbers.push(value);
      else if (kind === 'null') found.isNull = true;
      else if (kind === 'empty') found.isEmpty = true;
    },
  );
  return values;
}

function testOf(node: FilterNode, path: string, settings: IndexSettings): (element: Element) => boolean {
  if (node.kind === 'and' || node.kind === 'or') {
    const tests = node.items.map((item) => testOf(item, path, settings));
    return node.kind === 'and'
      ? (element) => tests.every((test) => test(element))
      : (element) => tests.some((test) => test(element));
  }
  if (node.kind === 'not') {
    const test = testOf(node.item, path, settings);
    return (element) => !test(element);
  }
  const leaf = leafOf(node);
  if (leaf === null) throw new Error(`the parser lets no \`${node.kind}\` into a condition on an element`);
  const test = leafTest(leaf, path, settings);
  return (element) => test(element.get(leaf.field.text));
}

type ValuesTest = (values: Values | undefined) => boolean;

function leafTest(leaf: LeafNode, path: string, settings: IndexSettings): ValuesTest {
  switch (leaf.kind) {
    case 'compare':
      return compareTest(leaf.operator, leaf.value.text);
    case 'in': {
      const tests = leaf.values.map(({ text }) => compareTest('=', text));
      return (values) => tests.some((test) => test(values));
    }
    case 'between':
      return rangeTest(leaf.from.text, leaf.to.text);
    case 'exists':
      return (values) => values !== undefined;
    case 'null':
      return (values) => values?.isNull === true;
    case 'empty':
      return (values) => values?.isEmpty === true;
    case 'contains': {
      const part = facetText(leaf.value.text);
      return (values) => values?.texts.some((text) => text.includes(part)) === true;
    }
    case 'startsWith': {
      const start = facetText(leaf.value.text);
      return (values) =>
        start === '' ? values !== undefined : values?.texts.some((text) => text.startsWith(start)) === true;
    }
    case 'under': {
      const own = facetText(leaf.value.text);
      const below = own + (hierarchyOf(settings, `${path}.${leaf.field.text}`)?.separatorKey ?? '');
      return (values) => values?.texts.some((text) => text === own || text.startsWith(below)) === true;
    }
    default:
      return unreachable(leaf);
  }
}

const compareTexts = (a: string, b: string): number => compareBytes(utf8Bytes(a), utf8Bytes(b));

function compareTest(operator: CompareOperator, text: string): ValuesTest {
  const [number, key] = [boundOf(operator, text), facetText(text)];
  const holds: Readonly<Record<CompareOperator, (order: number) => boolean>> = {
    '=': (order) => order === 0,
    '!=': (order) => order === 0,
    '<': (order) => order < 0,
    '<=': (order) => order <= 0,
    '>': (order) => order > 0,
    '>=': (order) => order >= 0,
  };
  const isFit = holds[operator];
  const matches: ValuesTest = (values) =>
    values !== undefined &&
    ((number !== undefined && values.numbers.some((value) => isFit(compareExact(value, number)))) ||
      values.texts.some((value) => isFit(compareTexts(value, key))));
  return operator === '!=' ? (values) => !matches(values) : matches;
}

function rangeTest(from: string, to: string): ValuesTest {
  const [low, high] = [boundOf('>=', from), boundOf('<=', to)];
  const [first, last] = [facetText(from), facetText(to)];
  return (values) =>
    values !== undefined &&
    ((low !== undefined && high !== undefined && values.numbers.some((value) => value >= low && value <= high)) ||
      values.texts.some((value) => compareTexts(value, first) >= 0 && compareTexts(value, last) <= 0));
}
