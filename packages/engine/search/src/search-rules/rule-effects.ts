/** What the search rules do with one query in one index. */
import { ApiError, type DocId } from '@fossick/base';
import { evaluateFilter } from '@fossick/columns';
import { readFilter } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { areSatisfied, conditionOutcomes, type RuleQuery } from './rule-conditions.js';
import type { RuleBook, ScaleAction, SearchRule } from './search-rule.js';

export interface PinnedDocument {
  readonly docId: DocId;
  readonly position: number;
}
/** A scale action with its documents. */
export interface Scale {
  readonly ruleUid: string;
  readonly weight: number;
  readonly docs: Bitmap;
}
export interface RuleEffects {
  /** Each document once, for the first rule that names it. */
  readonly pins: readonly PinnedDocument[];
  readonly scales: readonly Scale[];
}

/** The documents that rules select are found among these. */
export interface RuleScope {
  /** Documents that satisfy the filter of the search. */
  readonly universe: Bitmap;
  /** When filters of rules have to be evaluated, on the clock of performance.now(). */
  readonly untilMs: number;
}

/**
 * The effects of all rules whose conditions hold, on documents that satisfy the filter of the search. Bitmaps are in scratch memory.
 * O(rules * words + pins), and a filter for each scale action.
 */
export function ruleEffects(view: IndexView, book: RuleBook, query: RuleQuery, scope: RuleScope): RuleEffects {
  const pins = new Map<number, PinnedDocument>();
  const scales: Scale[] = [];
  const { limits } = book;
  let firing = 0;
  const outcomesOf = conditionOutcomes(book, query);
  const isHere = ({ indexUid }: { readonly indexUid?: string | null }): boolean => (indexUid ?? view.uid) === view.uid;
  for (const rule of book.rules) {
    if (firing >= limits.firingRules) break;
    if (!rule.active || !(rule.pins.some(isHere) || rule.scales.some(isHere))) continue;
    if (rule.scales.length === 0 && pins.size >= limits.pins) continue;
    if (!areSatisfied(outcomesOf(rule.conditions))) continue;
    firing += 1;
    if (rule.uid !== undefined) book.onFired?.(rule.uid);
    for (const { id, position } of rule.pins.filter(isHere)) {
      const docId = view.docIdOf(id);
      if (docId === undefined || pins.has(docId) || !view.kernel.bitmaps.has(scope.universe, docId)) continue;
      if (pins.size < limits.pins) pins.set(docId, { docId, position });
    }
    for (const action of rule.scales.filter(isHere))
      if (scales.length < limits.scales) scales.push(scaleOf(view, rule, action, scope));
  }
  return { pins: [...pins.values()], scales };
}

function scaleOf(view: IndexView, { uid = '' }: SearchRule, action: ScaleAction, { untilMs }: RuleScope): Scale {
  const docs = view.kernel.bitmaps.create(view.bitCount);
  for (const id of action.ids ?? []) {
    const docId = view.docIdOf(id);
    if (docId !== undefined) view.kernel.bitmaps.set(docs, docId);
  }
  const selected = filtered(view, action.filter, untilMs);
  if (selected !== null) view.kernel.bitmaps.or(docs, selected);
  return { ruleUid: uid, weight: action.weight, docs };
}

/** The documents of an action's filter; null without one, and where the index cannot evaluate it in time: then it selects none. */
function filtered(view: IndexView, filter: unknown, untilMs: number): Bitmap | null {
  try {
    const parsed = readFilter(filter, 'invalid_search_filter');
    return parsed === null ? null : evaluateFilter(view, parsed, 'invalid_search_filter', untilMs, false);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_search_filter') return null;
    throw error;
  }
}
