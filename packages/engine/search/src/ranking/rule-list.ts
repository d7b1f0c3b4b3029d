/** Makes the rules of one search from the ranking rules of the settings or of the request. */
import { unreachable } from '@fossick/base';
import type { SortEntry } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import {
  isRelevancyRule,
  type RankingRuleSetting,
  type RelevancyRule,
  readRankingRule,
  type ScoreEntry,
} from '@fossick/settings';
import type { VectorTarget } from '@fossick/vectors';
import type { MatchingStrategy } from '../query/query-graph.js';
import type { RuleTrace } from '../request/answer-parts.js';
import type { FirstRule } from './first-candidates.js';
import { exactAttributeRule, exactWordsRule } from './rules/exactness.js';
import { fieldsRule } from './rules/fields.js';
import { positionsRule } from './rules/positions.js';
import { proximityRule } from './rules/proximity.js';
import { type RankingRule, tracedRule } from './rules/ranking-rule.js';
import { sortRule } from './rules/sort.js';
import { typoRule } from './rules/typo.js';
import { vectorRule } from './rules/vector-rule.js';
import { wordsRule } from './rules/words.js';
import { scoreRule } from './scores/score-rule.js';
import type { FieldWeights } from './terms/field-scope.js';
import type { TermDocs } from './terms/term-docs.js';

export interface RuleListInputs {
  readonly view: IndexView;
  readonly docs: TermDocs;
  readonly fields: FieldWeights;
  /** The setting, or those of the request. */
  readonly rankingRules: readonly RankingRuleSetting[];
  readonly sort: readonly SortEntry[];
  /** The value of `now` in scores, in seconds since 1970. */
  readonly nowSeconds: number;
  /** All documents that the search may find. */
  readonly candidates: Bitmap;
  /** Number of documents up to the end of the page. */
  readonly wantedCount: number;
  /** In vector searches the vector rule takes the position of the first relevancy rule. */
  readonly vector: { readonly target: VectorTarget; readonly batchSize: number } | null;
  /** null in placeholder searches: only sort and custom rules remain. */
  readonly keyword: {
    readonly strategy: MatchingStrategy;
    readonly weightOf: (id: number) => number;
    /** Rules for which all documents to rank are equal. */
    readonly applied: readonly FirstRule[];
    /** Whether the query is one term, and only the order matters: rules that compare terms then leave everything as it is. */
    readonly isOneTerm: boolean;
  } | null;
  /** Gets what each rule does; null where nobody asks. */
  readonly traces: RuleTrace[] | null;
}

/** The rules in their order, each at most once. */
export function buildRules(inputs: RuleListInputs): RankingRule[] {
  const builder = new RuleListBuilder(inputs);
  for (const rule of inputs.rankingRules) builder.add(rule);
  return builder.rules;
}

class RuleListBuilder {
  private readonly inputs: RuleListInputs;
  readonly rules: RankingRule[] = [];
  private readonly added = new Set<string>();
  private readonly sortedFields = new Set<string>();
  private readonly scores = new Set<string>();
  private hasVector = false;

  constructor(inputs: RuleListInputs) {
    this.inputs = inputs;
    for (const rule of inputs.keyword?.applied ?? []) this.added.add(rule);
  }

  private push(name: string, rule: RankingRule): void {
    const { traces, docs } = this.inputs;
    if (traces === null) {
      this.rules.push(rule);
      return;
    }
    const trace: RuleTrace = { rule: name, starts: 0, divided: 0, buckets: 0 };
    traces.push(trace);
    this.rules.push(tracedRule(rule, trace, docs.pool.kernel));
  }

  add(rule: RankingRuleSetting): void {
    const entry = readRankingRule(rule);
    if (entry === undefined) return;
    if (entry.kind === 'score') return this.addScore(entry);
    if (entry.kind === 'field') return this.addSort(entry);
    const { name } = entry;
    if (this.inputs.vector && isRelevancyRule(name)) return this.addVector(this.inputs.vector);
    switch (name) {
      case 'sort':
        for (const sort of this.inputs.sort) this.addSort(sort);
        return;
      case 'words':
        return this.addWords();
      case 'typo':
      case 'proximity':
      case 'attribute':
      case 'attributeRank':
      case 'wordPosition':
      case 'exactness':
        return this.addRelevancy(name);
      default:
        return unreachable(name);
    }
  }

  private addScore(entry: ScoreEntry): void {
    const key = `${entry.buckets} ${entry.expression.text}`;
    if (this.scores.has(key)) return;
    this.scores.add(key);
    const { view, docs, candidates, nowSeconds } = this.inputs;
    this.push(entry.expression.text, scoreRule(view, docs.pool, { entry, candidates, nowSeconds }));
  }

  private addSort(entry: SortEntry): void {
    const { view, docs } = this.inputs;
    if (entry.kind === 'field') {
      if (this.sortedFields.has(entry.field)) return;
      this.sortedFields.add(entry.field);
    }
    const of = entry.kind === 'field' ? entry.field : `_geoPoint(${entry.lat}, ${entry.lng})`;
    this.push(`${of}:${entry.direction}`, sortRule(view, docs.pool, entry));
  }

  private addVector({ target, batchSize }: NonNullable<RuleListInputs['vector']>): void {
    if (this.hasVector) return;
    this.hasVector = true;
    const { view, docs } = this.inputs;
    this.push('vector', vectorRule(view, docs.pool, target, batchSize));
  }

  private addWords(): void {
    const { keyword, docs } = this.inputs;
    if (!keyword || keyword.strategy === 'all' || keyword.isOneTerm || this.added.has('words')) return;
    this.added.add('words');
    this.push('words', wordsRule(docs, keyword.weightOf));
  }

  /** The rules from an index on that rank each document independently of the others. */
  private splittingRules(from: number): RankingRule[] {
    const end = this.rules.findIndex(({ isPerDocument }, at) => at >= from && isPerDocument === undefined);
    return this.rules.slice(from, end < 0 ? undefined : end).filter(({ isPerDocument }) => isPerDocument);
  }

  private addRelevancy(name: Exclude<RelevancyRule, 'words'>): void {
    const { keyword, docs, view, fields } = this.inputs;
    if (!keyword || this.added.has(name)) return;
    this.addWords();
    this.added.add(name);
    const isUnified = name === 'attribute';
    if (name === 'typo') this.push('typo', typoRule(docs));
    if (name === 'proximity' && !keyword.isOneTerm) {
      const { wantedCount } = this.inputs;
      const index = this.rules.length;
      this.push(name, proximityRule(docs, { next: () => this.splittingRules(index + 1), wantedCount }));
    }
    if (isUnified || name === 'attributeRank') this.push('attributeRank', fieldsRule(docs, fields, isUnified));
    if (isUnified || name === 'wordPosition') this.push('wordPosition', positionsRule(docs, isUnified));
    if (name === 'exactness') {
      this.push('exactAttribute', exactAttributeRule(view, docs, fields));
      this.push('exactWords', exactWordsRule(docs));
    }
  }
}
