import { compareBytes, utf8Bytes } from '@fossick/base';
import { boundOf } from '@fossick/columns';
import type { Filter, FilterNode } from '@fossick/filter';
import { normalizeFacet } from '@fossick/tokenizer';
import type { RuleLimits } from './search-rule.js';

/** Tests whether a document with this as its only value of the field would pass. */
type ValueTest = (value: string | number) => boolean;
interface Condition {
  readonly test: ValueTest;
  /** The values of an equality or `IN` condition. */
  readonly equals: readonly string[];
}
/** The conditions of one branch of a filter's OR, by field. */
export type Branch = ReadonlyMap<string, readonly Condition[]>;

const EMPTY: Branch = new Map();

/**
 * The branches of a filter's OR with their conditions on the values of fields; negations are pushed down to the
 * conditions. Null when the filter is larger than the limits allow. O(branches * conditions).
 */
export function filterBranches(filter: Filter | null, limits: RuleLimits): readonly Branch[] | null {
  return filter === null ? [EMPTY] : branchesOf(filter.node, false, limits, 1);
}

function branchesOf(node: FilterNode, isNegated: boolean, limits: RuleLimits, depth: number): readonly Branch[] | null {
  if (depth > limits.filterDepth) return null;
  if (node.kind === 'not') return branchesOf(node.item, !isNegated, limits, depth + 1);
  if (node.kind !== 'and' && node.kind !== 'or') {
    const found = conditionOf(node);
    if (found === null) return [EMPTY];
    const { field, test, equals } = found;
    return [new Map([[field, [isNegated ? { test: (value) => !test(value), equals: [] } : { test, equals }]]])];
  }
  const isConjunction = (node.kind === 'and') !== isNegated;
  if (isConjunction && node.items.length > limits.branchConditions) return null;
  const parts: (readonly Branch[])[] = [];
  for (const item of node.items) {
    const part = branchesOf(item, isNegated, limits, depth + 1);
    if (part === null) return null;
    parts.push(part);
  }
  if (isConjunction) return product(parts, limits);
  const branches = parts.flat();
  return branches.length > limits.filterBranches ? null : branches;
}

function product(parts: readonly (readonly Branch[])[], limits: RuleLimits): readonly Branch[] | null {
  let branches: readonly Branch[] = [EMPTY];
  for (const part of parts) {
    if (branches.length * part.length > limits.filterBranches) return null;
    branches = branches.flatMap((left) => part.map((right) => joined(left, right)));
  }
  return branches;
}

function joined(left: Branch, right: Branch): Branch {
  const both = new Map(left);
  for (const [field, conditions] of right) both.set(field, [...(both.get(field) ?? []), ...conditions]);
  return both;
}

/** The condition on one field's value; null for conditions on something else or on parts of texts. */
function conditionOf(node: FilterNode): (Condition & { readonly field: string }) | null {
  switch (node.kind) {
    case 'compare': {
      const { operator, value } = node;
      const test = comparison(operator, value.text);
      return { field: node.field.text, test, equals: operator === '=' ? [value.text] : [] };
    }
    case 'in': {
      const texts = node.values.map(({ text }) => text);
      const tests = texts.map((text) => comparison('=', text));
      const [only] = texts;
      const equals = only !== undefined && texts.length === 1 ? [only] : [];
      return { field: node.field.text, test: (value) => tests.some((test) => test(value)), equals };
    }
    case 'between': {
      const [low, high] = [comparison('>=', node.from.text), comparison('<=', node.to.text)];
      return { field: node.field.text, test: (value) => low(value) && high(value), equals: [] };
    }
    case 'exists':
      return { field: node.field.text, test: () => true, equals: [] };
    case 'null':
      return { field: node.field.text, test: () => false, equals: [] };
    case 'empty':
      return { field: node.field.text, test: (value) => value === '', equals: [] };
    default:
      return null;
  }
}

function comparison(operator: '=' | '!=' | '<' | '<=' | '>' | '>=', text: string): ValueTest {
  const [key, number] = [utf8Bytes(normalizeFacet(text)), boundOf(operator, text)];
  const orderOf = (value: string | number): number | undefined => {
    // numbers of rules are floats
    if (typeof value === 'number') return number === undefined ? undefined : value - Number(number);
    return compareBytes(utf8Bytes(normalizeFacet(value)), key);
  };
  return (value) => {
    const order = orderOf(value);
    if (operator === '!=') return order !== 0;
    if (order === undefined) return false;
    if (operator === '=') return order === 0;
    if (operator === '<' || operator === '<=') return order < 0 || (order === 0 && operator === '<=');
    return order > 0 || (order === 0 && operator === '>=');
  };
}

/**
 * Whether the branch implies what a rule requires: every required field has conditions, and its value passes all of
 * them. Of a list of values each must be named by the branch; null and an empty list require nothing; an object
 * requires nested fields.
 */
export function requires(branch: Branch, wanted: Readonly<Record<string, unknown>>, prefix = ''): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const field = `${prefix}${name}`;
    if (Array.isArray(value)) return requiresAll(branch, field, value);
    if (typeof value === 'object' && value !== null)
      return requires(branch, value as Record<string, unknown>, `${field}.`);
    return passes(branch, field, value);
  });
}

function requiresAll(branch: Branch, field: string, values: readonly unknown[]): boolean {
  if (values.length < 2) return values.every((value) => passes(branch, field, value));
  const equals = (branch.get(field) ?? []).flatMap((condition) => condition.equals);
  return values.every((value) => equals.some((text) => comparison('=', text)(scalarOf(value))));
}

function passes(branch: Branch, field: string, value: unknown): boolean {
  if (value === null) return true;
  const conditions = branch.get(field) ?? [];
  return conditions.length > 0 && conditions.every(({ test }) => test(scalarOf(value)));
}

function scalarOf(value: unknown): string | number {
  return typeof value === 'number' ? value : String(value);
}
