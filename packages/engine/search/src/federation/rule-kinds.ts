/** The ranking rules in effect for the queries of a federated search, by kind. */

import { unreachable } from '@fossick/base';
import type { SortEntry } from '@fossick/filter';
import { type IndexSettings, type RankingRuleSetting, readRankingRule, type ScoreEntry } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';
import type { SearchKind } from '../ranked/search-plan.js';

/** Hits are comparable when the rules at the same index of their lists have the same kind. */
export type RuleKind = 'relevancy' | 'asc' | 'desc' | 'geoAsc' | 'geoDesc' | 'score' | 'scoreBucket';

export interface EffectiveRule {
  readonly kind: RuleKind;
  /** `queries[1].sort[0]`, `movies.rankingRules[4]` or `movies.rankingRules[0..=3]`. */
  readonly path: string;
  /** A description of the rule: `ascending sort by price`. */
  readonly text: string;
}
export interface EffectiveRules {
  readonly queryPosition: number;
  readonly rules: readonly EffectiveRule[];
  /** A line for each rule that was added or left out, with its path and the reason. */
  readonly notes: readonly string[];
}
interface Inputs {
  readonly uid: string;
  readonly queryPosition: number;
  readonly rankingRules: IndexSettings['rankingRules'];
  readonly sort: readonly SortEntry[];
  readonly request: Pick<SearchRequest, 'q' | 'matchingStrategy' | 'rankingRules' | 'queryMode'>;
  readonly kind: SearchKind['kind'];
}

/** The rules of one query in order, consecutive relevancy rules as one. O(rules). */
export function effectiveRules(inputs: Inputs): EffectiveRules {
  const builder = new EffectiveRulesBuilder(inputs);
  for (const [at, rule] of inputs.rankingRules.entries()) builder.add(rule, at);
  builder.closeRelevancy();
  return builder;
}

class EffectiveRulesBuilder implements EffectiveRules {
  private readonly inputs: Inputs;
  readonly rules: EffectiveRule[] = [];
  readonly notes: string[] = [];
  readonly queryPosition: number;
  private readonly seen = new Set<string>();
  private relevancy: { readonly from: number; to: number; readonly names: string[] } | null = null;
  private areWordsAhead = false;

  constructor(inputs: Inputs) {
    this.inputs = inputs;
    this.queryPosition = inputs.queryPosition;
  }

  /** `rule`: the entry `at` of `rankingRules`. */
  add(rule: RankingRuleSetting, at: number): void {
    const entry = readRankingRule(rule);
    if (entry === undefined) return;
    if (entry.kind === 'score') return this.addScore(entry, at);
    if (entry.kind === 'field') return this.addEntry(entry, `${this.listPath}[${at}]`, at);
    const { name } = entry;
    switch (name) {
      case 'sort':
        return this.addSort(at);
      case 'words':
      case 'typo':
      case 'proximity':
      case 'attribute':
      case 'attributeRank':
      case 'wordPosition':
      case 'exactness':
        return this.addRelevancy(name, at);
      default:
        return unreachable(name);
    }
  }

  /** Ends the current run of relevancy rules. */
  closeRelevancy(): void {
    const run = this.relevancy;
    this.relevancy = null;
    if (run === null) return;
    const span = run.from === run.to ? `${run.from}` : `${run.from}..=${run.to}`;
    const text = `relevancy (${run.names.join(', ')})`;
    this.rules.push({ kind: 'relevancy', path: `${this.listPath}[${span}]`, text });
  }

  private addRelevancy(name: string, at: number): void {
    const { q, queryMode } = this.inputs.request;
    const matchingStrategy = queryMode === 'boolean' ? 'all' : this.inputs.request.matchingStrategy;
    if (this.inputs.kind === 'semantic') return this.addVector(name, at);
    if (q === null || q.trim() === '') return this.note(name, at, 'left out: a placeholder search has no relevancy');
    if (name === 'words' && matchingStrategy === 'all')
      return this.note(
        name,
        at,
        `left out: ${queryMode === 'boolean' ? '`queryMode` is `boolean`' : '`matchingStrategy` is `all`'}`,
      );
    if (this.seen.has(name)) {
      const wasAhead = name === 'words' && this.areWordsAhead;
      return this.note(name, at, wasAhead ? 'left out: it was already put ahead' : 'left out: it stands earlier, too');
    }
    this.seen.add(name);
    const names = this.openRelevancy(at).names;
    if (name !== 'words' && matchingStrategy !== 'all' && !this.seen.has('words')) {
      this.seen.add('words');
      this.areWordsAhead = true;
      names.push('words');
      this.note('words', at, 'put ahead of the first relevancy rule');
    }
    names.push(name);
  }

  /** Vector similarity replaces all rules on words, and occurs once. */
  private addVector(name: string, at: number): void {
    if (this.seen.has('vector')) return this.note(name, at, 'left out: the vectors are compared already');
    this.seen.add('vector');
    this.openRelevancy(at).names.push('vector');
  }

  private openRelevancy(at: number): { readonly names: string[] } {
    if (this.relevancy === null) this.relevancy = { from: at, to: at, names: [] };
    this.relevancy.to = at;
    return this.relevancy;
  }

  private addScore({ expression, buckets }: ScoreEntry, at: number): void {
    const text = `score \`${expression.text}\`${buckets === null ? '' : ` in ${buckets} buckets`}`;
    if (this.seen.has(text)) return this.note('score', at, 'left out: an earlier rule has the same score');
    this.seen.add(text);
    this.closeRelevancy();
    const path = `${this.listPath}[${at}]`;
    this.rules.push({ kind: buckets === null ? 'score' : 'scoreBucket', path, text });
  }

  private addSort(at: number): void {
    const { sort, queryPosition } = this.inputs;
    if (sort.length === 0) return this.note('sort', at, 'left out: the query sorts by nothing');
    for (const [index, entry] of sort.entries()) this.addEntry(entry, `queries[${queryPosition}].sort[${index}]`, at);
  }

  private addEntry(entry: SortEntry, path: string, at: number): void {
    const direction = entry.direction === 'asc' ? 'ascending' : 'descending';
    if (entry.kind === 'geo') {
      this.closeRelevancy();
      const text = `${direction} sort by distance to (${entry.lat}, ${entry.lng})`;
      this.rules.push({ kind: entry.direction === 'asc' ? 'geoAsc' : 'geoDesc', path, text });
      return;
    }
    const key = `sort by ${entry.field}`;
    if (this.seen.has(key)) {
      this.notes.push(
        `queries[${this.queryPosition}]: \`${path}\` (at \`${this.listPath}[${at}]\`) was left out: ` +
          `an earlier rule sorts by \`${entry.field}\`.`,
      );
      return;
    }
    this.seen.add(key);
    this.closeRelevancy();
    this.rules.push({ kind: entry.direction, path, text: `${direction} ${key}` });
  }

  /** Where the rules are listed: in the query, or in the settings of the index. */
  private get listPath(): string {
    const { request, queryPosition, uid } = this.inputs;
    return request.rankingRules === null ? `${uid}.rankingRules` : `queries[${queryPosition}].rankingRules`;
  }

  private note(name: string, at: number, reason: string): void {
    const path = `${this.listPath}[${at}]`;
    this.notes.push(`queries[${this.queryPosition}]: rule \`${name}\` at \`${path}\` was ${reason}.`);
  }
}
