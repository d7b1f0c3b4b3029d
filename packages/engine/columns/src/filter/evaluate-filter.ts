import { type ErrorCode, type ErrorText, isPast, sharedError, sharedText, unreachable, utf8Bytes } from '@fossick/base';
import type { CompareOperator, Filter, FilterNode, FilterValue } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import { type FieldFeatures, featuresOf, rulePatterns } from '@fossick/settings';
import { facetKey, facetText } from '../bytes/facet-text.js';
import { columnReaders } from '../column-readers.js';
import { hierarchyOf } from '../facets/hierarchy.js';
import { boxMatches, polygonMatches, radiusMatches } from '../geo/geo-filter.js';
import type { ColumnView, ForeignScope } from '../port.js';
import { orGroupList, orLiveDocs, orLiveGroups } from '../reading/column-reader.js';
import type { GroupList } from '../reading/column-trigrams.js';
import { findContaining } from '../reading/find-containing.js';
import { addElementDocs, type ElementNode, leavesOf, ofDocument } from './element-filter.js';
import { boundOf, numberOf } from './filter-number.js';
import { visibleDocuments, withoutForeign } from './foreign-filter.js';
import { ValueList } from './value-list.js';
import { addDocsUnder, addRanges, prefixRange } from './value-ranges.js';

type ContainsNode = Extract<FilterNode, { kind: 'contains' | 'startsWith' | 'under' }>;

/** Error code, message style and deadline of a filter. */
interface FilterUse {
  readonly code: ErrorCode;
  readonly operatorCode: ErrorCode;
  /** Deadline on the clock of performance.now(). */
  readonly deadlineMs: number;
  /** Whether messages begin with the index. */
  readonly namesIndex: boolean;
}

class FilterEvaluator {
  readonly view: ColumnView;
  readonly filter: Filter;
  readonly use: FilterUse;
  private readonly features = new Map<string, FieldFeatures | undefined>();
  /** Groups found for the texts of all `CONTAINS` of a field, by text and parallel to the field's columns. */
  private readonly containing = new Map<string, ReadonlyMap<string, readonly GroupList[]>>();

  constructor(view: ColumnView, filter: Filter, use: FilterUse) {
    this.view = view;
    this.filter = filter;
    this.use = use;
  }

  /** Throws when the deadline has passed. */
  readonly checkInterrupt = (): void => {
    if (isPast(this.use.deadlineMs)) this.fail(sharedText('filterTooSlow'));
  };

  private featuresOf(field: string): FieldFeatures | undefined {
    if (!this.features.has(field)) this.features.set(field, featuresOf(this.view.settings, field));
    return this.features.get(field);
  }

  fail(text: ErrorText, token?: FilterValue, code = this.use.code): never {
    const context = token === undefined ? '' : `\n${this.filter.contextOf(token)}`;
    throw sharedError(code, 'condition', this.use.namesIndex ? this.view.uid : null, text, context);
  }

  /** Fields are checked from the last condition to the first. */
  check(node: FilterNode): void {
    switch (node.kind) {
      case 'and':
      case 'or':
        for (let at = node.items.length - 1; at >= 0; at--) this.check(node.items[at]!);
        return;
      case 'not':
        return this.check(node.item);
      // Coordinates are checked only when they are evaluated.
      case 'geoRadius':
      case 'geoBox':
      case 'geoPolygon':
      case 'vectors':
      case 'foreign':
        return;
      case 'element':
        for (const leaf of leavesOf(node.condition).reverse()) this.check(ofDocument(leaf, node.field));
        return;
      default:
        return this.checkAny([node.field.text], node.field);
    }
  }

  private checkAny(fields: readonly string[], token: FilterValue): void {
    if (fields.some((field) => this.featuresOf(field)?.isFilterable === true)) return;
    const patterns = rulePatterns(this.view.settings, 'filter');
    const names = fields.map((field) => `\`${field}\``).join(' or ');
    this.fail(sharedText('notFilterableAmong', names, patterns), token);
  }

  /** Throws unless the deciding rule enables the operator. */
  private allow(field: string, operator: string, need: 'equality' | 'comparison'): void {
    const features = this.featuresOf(field);
    if (features === undefined) return this.fail(sharedText('notFilterable', `\`${field}\``));
    if (need === 'equality' ? features.hasEquality : features.hasComparison) return;
    const allowed = ['OR', 'AND', 'NOT'];
    if (features.hasEquality) allowed.push('=', '!=', 'IN');
    if (features.hasComparison) allowed.push('<', '>', '<=', '>=', 'TO');
    allowed.push('IS EMPTY', 'IS NULL', 'EXISTS');
    this.fail(
      sharedText('operatorOff', operator, field, allowed.join(', '), features.rule, need),
      undefined,
      this.use.operatorCode,
    );
  }

  /** A new scratch bitmap of the documents that satisfy the node. */
  evaluate(node: FilterNode): Bitmap {
    const { kernel } = this.view;
    const result = kernel.bitmaps.create(this.view.bitCount);
    const mark = kernel.memory.mark();
    this.into(result, node);
    kernel.memory.release(mark);
    return result;
  }

  private into(result: Bitmap, node: FilterNode): void {
    this.checkInterrupt();
    switch (node.kind) {
      case 'and':
      case 'or':
        return this.all(result, node.kind, node.items);
      case 'not':
        return this.complement(result, this.evaluate(node.item));
      case 'compare':
        return this.compare(result, node.field.text, node.operator, node.value.text);
      case 'in':
        if (node.values.length > 0) this.allow(node.field.text, 'IN', 'equality'); // an empty list needs no permission
        if (node.values.length > FEW_VALUES) return this.list(result, node.field.text, node.values);
        for (const value of node.values) this.equal(result, node.field.text, value.text);
        return;
      case 'between':
        return this.between(result, node.field.text, node.from.text, node.to.text);
      case 'exists':
      case 'null':
      case 'empty':
        return this.flag(result, node.field.text, node.kind);
      case 'contains':
      case 'startsWith':
      case 'under':
        return this.text(result, node);
      case 'geoRadius':
      case 'geoBox':
      case 'geoPolygon':
        this.checkAny(node.kind === 'geoPolygon' ? ['_geojson'] : ['_geo', '_geojson'], node.name);
        return this.geo(result, node);
      case 'element':
        return this.element(result, node);
      case 'vectors':
      case 'foreign':
        return this.fail(sharedText('notEvaluated', node.name.text), node.name);
      default:
        return unreachable(node);
    }
  }

  private element(result: Bitmap, node: ElementNode): void {
    if (!this.view.settings.elementAttributes.includes(node.field.text))
      this.fail(sharedText('notApart', node.field.text), node.field);
    addElementDocs(this.view, result, node, {
      evaluate: (leaf) => this.evaluate(leaf),
      checkInterrupt: this.checkInterrupt,
    });
  }

  private all(result: Bitmap, kind: 'and' | 'or', items: readonly FilterNode[]): void {
    const { kernel } = this.view;
    for (const [index, item] of items.entries()) {
      const mark = kernel.memory.mark();
      const matches = this.evaluate(item);
      if (kind === 'or' || index === 0) kernel.bitmaps.or(result, matches);
      else kernel.bitmaps.and(result, matches);
      kernel.memory.release(mark);
      if (kind === 'and' && kernel.bitmaps.isEmpty(result)) return; // an empty intermediate result skips the rest, errors included
    }
  }

  private list(result: Bitmap, field: string, values: readonly FilterValue[]): void {
    const list = new ValueList(textsOf(values), this.checkInterrupt);
    for (const column of columnReaders(this.view, field)) {
      orGroupList(result, column, 'numbers', list.numberGroups(column));
      orGroupList(result, column, 'strings', list.stringGroups(column));
    }
  }

  private geo(result: Bitmap, node: Extract<FilterNode, { kind: 'geoRadius' | 'geoBox' | 'geoPolygon' }>): void {
    const { kernel } = this.view;
    const docs = geoMatches(this.view, node, (text, token) => this.fail(text, token));
    const mark = kernel.memory.mark();
    kernel.bitmaps.setMany(result, kernel.memory.scratchU32(docs), docs.length);
    kernel.memory.release(mark);
  }

  private complement(result: Bitmap, matches: Bitmap): void {
    const { kernel, documents } = this.view;
    kernel.bitmaps.or(result, documents);
    kernel.bitmaps.andNot(result, matches);
  }

  private equal(result: Bitmap, field: string, text: string): void {
    const number = numberOf(text);
    const key = facetKey(text);
    addRanges(this.view, result, field, number === undefined ? undefined : [number, true, number, true], [
      key,
      true,
      key,
      true,
    ]);
  }

  private compare(result: Bitmap, field: string, operator: CompareOperator, text: string): void {
    this.allow(field, operator, operator === '=' || operator === '!=' ? 'equality' : 'comparison');
    if (operator === '=') return this.equal(result, field, text);
    if (operator === '!=') {
      if (!this.view.fieldNames.includes(field)) return; // a field that never occurred matches nothing
      const equal = this.view.kernel.bitmaps.create(this.view.bitCount);
      this.equal(equal, field, text);
      return this.complement(result, equal);
    }
    const number = boundOf(operator, text);
    const key = facetKey(text);
    const isInclusive = operator.endsWith('=');
    if (operator.startsWith('>')) {
      const numbers = number === undefined ? undefined : ([number, isInclusive, Infinity, true] as const);
      addRanges(this.view, result, field, numbers, [key, isInclusive, undefined, true]);
    } else {
      const numbers = number === undefined ? undefined : ([-Infinity, true, number, isInclusive] as const);
      addRanges(this.view, result, field, numbers, [undefined, true, key, isInclusive]);
    }
  }

  private between(result: Bitmap, field: string, from: string, to: string): void {
    this.allow(field, 'TO', 'comparison');
    const [low, high] = [boundOf('>=', from), boundOf('<=', to)];
    const numbers = low === undefined || high === undefined ? undefined : ([low, true, high, true] as const);
    addRanges(this.view, result, field, numbers, [facetKey(from), true, facetKey(to), true]);
  }

  private flag(result: Bitmap, field: string, kind: 'exists' | 'null' | 'empty'): void {
    const list = kind === 'exists' ? 'exists' : kind === 'null' ? 'nulls' : 'empties';
    for (const column of columnReaders(this.view, field)) orLiveDocs(result, column, list);
  }

  private text(result: Bitmap, node: ContainsNode): void {
    const {
      kind,
      field: { text: field },
      value,
    } = node;
    if (kind === 'contains') return this.contains(result, field, value.text);
    if (kind === 'under') return this.under(result, node);
    const key = facetKey(value.text);
    if (key.length === 0) return this.flag(result, field, 'exists');
    for (const column of columnReaders(this.view, field)) {
      const [from, to] = prefixRange(column, key);
      orLiveGroups(result, column, 'strings', from, to);
    }
  }

  private under(result: Bitmap, { field: { text: field }, value, operator }: ContainsNode): void {
    const level = hierarchyOf(this.view.settings, field);
    if (level === undefined) return this.fail(sharedText('notHierarchical', field), operator);
    addDocsUnder(this.view, result, field, level, value.text);
  }

  private contains(result: Bitmap, field: string, text: string): void {
    let found = this.containing.get(field);
    if (found === undefined) {
      found = findTexts(this.view, this.filter, field, this.checkInterrupt);
      this.containing.set(field, found);
    }
    const groups = found.get(facetText(text))!;
    columnReaders(this.view, field).forEach((column, index) => {
      orGroupList(result, column, 'strings', groups[index]!);
    });
  }
}

function geoMatches(
  view: ColumnView,
  node: Extract<FilterNode, { kind: 'geoRadius' | 'geoBox' | 'geoPolygon' }>,
  fail: (text: ErrorText, token: FilterValue) => never,
): readonly number[] {
  if (node.kind === 'geoRadius') return radiusMatches(view, node, fail);
  return node.kind === 'geoBox' ? boxMatches(view, node, fail) : polygonMatches(view, node, fail);
}

/** Up to this many values of an `IN` are looked up one by one. */
const FEW_VALUES = 4;

/** Looks once for the texts of all `CONTAINS` conditions of a field in its values. */
function findTexts(
  view: ColumnView,
  filter: Filter,
  field: string,
  checkInterrupt: () => void,
): ReadonlyMap<string, readonly GroupList[]> {
  const texts = new Set<string>();
  eachCondition(filter.node, (node) => {
    if (node.kind === 'contains' && node.field.text === field) texts.add(facetText(node.value.text));
  });
  const keys = [...texts].map((text) => utf8Bytes(text));
  const byColumn = columnReaders(view, field).map((column) => findContaining(column, keys, checkInterrupt));
  return new Map([...texts].map((text, index) => [text, byColumn.map((groups) => groups[index]!)]));
}

function* textsOf(values: readonly FilterValue[]): Iterable<string> {
  for (const { text } of values) yield text;
}

function eachCondition(node: FilterNode, visit: (node: FilterNode) => void): void {
  if (node.kind === 'and' || node.kind === 'or') for (const item of node.items) eachCondition(item, visit);
  else if (node.kind === 'not') eachCondition(node.item, visit);
  else if (node.kind === 'element') for (const leaf of leavesOf(node.condition)) visit(ofDocument(leaf, node.field));
  else visit(node);
}

/**
 * Documents of the view that satisfy the filter: a new bitmap in kernel scratch. Throws ApiError `code` for fields that are not
 * filterable, operators that are not enabled, and coordinates out of range; conditions on foreign indexes have codes of their own. Past
 * `deadlineMs` (on the clock of performance.now()) it throws `code` too: a partial result would be wrong. Messages begin with the index,
 * unless the request names one in its path (documents, facet search).
 */
export function evaluateFilter(
  view: ColumnView,
  filter: Filter,
  code: ErrorCode = 'invalid_search_filter',
  deadlineMs = Number.POSITIVE_INFINITY,
  namesIndex = true,
): Bitmap {
  const foreign = (other: ColumnView, condition: Filter): Bitmap => evaluateForeign(other, condition, deadlineMs);
  return evaluated(view, withoutForeign(view, filter, foreign), { code, operatorCode: code, deadlineMs, namesIndex });
}

/** Documents of a foreign index that the request may see: a bitmap that must not be modified. @throws ApiError invalid_search_filter */
export function visibleForeign(scope: Extract<ForeignScope, { isAllowed: true }>): Bitmap {
  return visibleDocuments(scope, evaluateForeign);
}

const FOREIGN_USE = {
  code: 'invalid_document_filter',
  operatorCode: 'invalid_search_filter',
  namesIndex: true,
} as const satisfies Partial<FilterUse>;

/**
 * In every kind of request, the reference checks a foreign index's fields as for a documents filter, and its operators as for a search.
 */
function evaluateForeign(view: ColumnView, filter: Filter, deadlineMs = Number.POSITIVE_INFINITY): Bitmap {
  return evaluated(view, filter, { ...FOREIGN_USE, deadlineMs });
}

function evaluated(view: ColumnView, filter: Filter, use: FilterUse): Bitmap {
  const evaluator = new FilterEvaluator(view, filter, use);
  evaluator.check(filter.node);
  return evaluator.evaluate(filter.node);
}
