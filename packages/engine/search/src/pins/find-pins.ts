/** Finds the documents that search rules pin for one query in one index. */
import type { DocId } from '@fossick/base';
import type { Filter } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { createTokenizer, type Token, type Tokenizer } from '@fossick/tokenizer';
import { parseQuery } from '../query/query-terms.js';
import { type Branch, filterBranches, requires } from './filter-branches.js';
import type { RuleBook, RuleConditions, SearchRule } from './search-rule.js';

export interface PinnedDocument {
  readonly docId: DocId;
  readonly position: number;
}

/** Words of rules and queries are compared without any index's settings. */
let plainTokenizer: Tokenizer | undefined;

/**
 * Documents pinned for the query: those of all matching rules, each once for the first rule that names it, if they
 * exist in the index and satisfy the request's filter. O(rules * words + pins).
 * @param universe documents that satisfy the filter
 */
export function findPins(
  view: IndexView,
  book: RuleBook,
  query: { readonly q: string | null; readonly filter: Filter | null },
  universe: Bitmap,
): PinnedDocument[] {
  const pins = new Map<number, PinnedDocument>();
  const { limits } = book;
  let firing = 0;
  const holds = conditionTest(book, query);
  for (const rule of book.rules) {
    if (firing >= limits.firingRules || pins.size >= limits.pins) break;
    if (!rule.active || !namesIndex(rule, view.uid) || !holds(rule.conditions)) continue;
    firing += 1;
    if (rule.uid !== undefined) book.onFired?.(rule.uid);
    for (const { selector, action } of rule.actions) {
      if (selector.indexUid !== undefined && selector.indexUid !== null && selector.indexUid !== view.uid) continue;
      const docId = view.docIdOf(selector.id);
      if (docId === undefined || pins.has(docId) || !view.kernel.bitmaps.has(universe, docId)) continue;
      if (pins.size < limits.pins) pins.set(docId, { docId, position: action.position });
    }
  }
  return [...pins.values()];
}

function namesIndex(rule: SearchRule, uid: string): boolean {
  return rule.actions.some(({ selector }) => (selector.indexUid ?? uid) === uid);
}

/** Tests whether all conditions of a rule hold for the query; costly values are computed on first use. */
function conditionTest(
  { nowMs, limits }: RuleBook,
  { q, filter }: { readonly q: string | null; readonly filter: Filter | null },
): (conditions: RuleConditions) => boolean {
  let words: ReadonlySet<string> | undefined;
  let branches: readonly Branch[] | null | undefined;
  return ({ time, query, filter: wanted }) => {
    if (time?.start != null && nowMs < Date.parse(time.start)) return false;
    if (time?.end != null && nowMs > Date.parse(time.end)) return false;
    if (query?.isEmpty != null || query?.words != null) {
      words ??= new Set(queryWords(q ?? '').slice(0, limits.queryWords));
      const known = words;
      if (query.isEmpty != null && query.isEmpty !== (known.size === 0)) return false;
      if (query.words != null && !ruleWords(query.words).every((word) => known.has(word))) return false;
    }
    if (wanted == null) return true;
    if (branches === undefined) branches = filterBranches(filter, limits);
    return branches?.some((branch) => requires(branch, wanted.values)) ?? false;
  };
}

function ruleWords(text: string): string[] {
  return plainTokens(text)
    .filter(({ kind, lemma }) => kind === 'word' && lemma !== '')
    .map(({ lemma }) => lemma);
}

function plainTokens(text: string): Token[] {
  plainTokenizer ??= createTokenizer({});
  return plainTokenizer.tokenize(text);
}

/** Normalised words of a query, without those of phrases of several words and without excluded ones. */
function queryWords(text: string): string[] {
  const { terms } = parseQuery(plainTokens(text), false);
  return terms.flatMap(({ phrase }) => (phrase.length === 1 && phrase[0] != null ? [phrase[0]] : []));
}
