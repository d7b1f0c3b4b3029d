import type { Filter, FilterNode } from '@fossick/filter';
import { normalizeFacet } from '@fossick/tokenizer';
import { numberOf } from '../facets/index.js';
import type { RuleLimits } from './search-rule.js';

/** Values by field that every document of one branch of a filter has. */
type Branch = ReadonlyMap<string, readonly string[]>;

/**
 * The branches of a filter's OR with the equalities that each forces; null when the filter is larger than the limits allow. What is no equality forces
 * nothing. O(branches * conditions).
 */
export function forcedBranches(filter: Filter | null, limits: RuleLimits): readonly Branch[] | null {
  return filter === null ? [new Map()] : branchesOf(filter.node, limits, 1);
}

function branchesOf(node: FilterNode, limits: RuleLimits, depth: number): readonly Branch[] | null {
  if (depth > limits.filterDepth) return null;
  if (node.kind === 'compare' && node.operator === '=') return [new Map([[node.field.text, [node.value.text]]])];
  if (node.kind === 'in') {
    const values = node.values.map(({ text }) => new Map([[node.field.text, [text]]]));
    return values.length > limits.filterBranches ? null : values;
  }
  if (node.kind !== 'and' && node.kind !== 'or') return [new Map()];
  if (node.kind === 'and' && node.items.length > limits.branchConditions) return null;
  const parts: (readonly Branch[])[] = [];
  for (const item of node.items) {
    const part = branchesOf(item, limits, depth + 1);
    if (part === null) return null;
    parts.push(part);
  }
  return node.kind === 'or' ? within(parts.flat(), limits) : product(parts, limits);
}

function product(parts: readonly (readonly Branch[])[], limits: RuleLimits): readonly Branch[] | null {
  let branches: readonly Branch[] | null = [new Map()];
  for (const part of parts) {
    if (branches.length * part.length > limits.filterBranches) return null;
    branches = branches.flatMap((left) => part.map((right) => joined(left, right)));
  }
  return branches;
}

function within(branches: readonly Branch[], limits: RuleLimits): readonly Branch[] | null {
  return branches.length > limits.filterBranches ? null : branches;
}

function joined(left: Branch, right: Branch): Branch {
  const both = new Map(left);
  for (const [field, values] of right) both.set(field, [...(both.get(field) ?? []), ...values]);
  return both;
}

/** Whether the branch forces every value that `wanted` lists: a scalar, a list of them, or an object of more fields. */
export function forcesAll(branch: Branch, wanted: Readonly<Record<string, unknown>>, prefix = ''): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const field = `${prefix}${name}`;
    if (Array.isArray(value)) return value.every((entry) => forces(branch, field, entry));
    if (typeof value === 'object' && value !== null)
      return forcesAll(branch, value as Record<string, unknown>, `${field}.`);
    return forces(branch, field, value);
  });
}

function forces(branch: Branch, field: string, value: unknown): boolean {
  const text = String(value);
  const [number, key] = [numberOf(text), normalizeFacet(text)];
  return (branch.get(field) ?? []).some(
    (given) => normalizeFacet(given) === key || (number !== undefined && numberOf(given) === number),
  );
}
