import type { GivenSearch } from '@fossick/api';
import { ruleOfText } from '../api/rule-text.js';

/** What one search does differently from the settings of its index. */
export interface SearchOptions {
  readonly typos: 'set' | 'on' | 'off' | 'words';
  /** An expression that hits satisfy, in addition to the chosen filters; empty: none. */
  readonly filter: string;
  /** Rules separated by commas, scores as `score(…)`; empty: those of the index. */
  readonly rules: string;
  /** `title:10, overview:1`; empty: the order of the searchable attributes. */
  readonly weights: string;
  /** Words of the query that count; null: ten. */
  readonly words: number | null;
  /** Whether `OR`, brackets and `-` combine words. */
  readonly isBoolean: boolean;
  /** The attribute whose values are the groups of hits; empty: none. */
  readonly groupBy: string;
  /** The attribute whose numbers are summed; empty: none. */
  readonly summed: string;
  /** The attribute for each value of which they are summed, too; empty: none. */
  readonly summedBy: string;
  /** Width of the buckets of their histogram; null: none. */
  readonly interval: number | null;
  /** Whether hits and facets are counted after the distinct attribute. */
  readonly isExact: boolean;
}
export const NO_OPTIONS: SearchOptions = {
  typos: 'set',
  filter: '',
  rules: '',
  weights: '',
  words: null,
  isBoolean: false,
  groupBy: '',
  summed: '',
  summedBy: '',
  interval: null,
  isExact: false,
};

export const TYPO_CHOICES: readonly { readonly value: SearchOptions['typos']; readonly label: string }[] = [
  { value: 'set', label: 'As in the settings' },
  { value: 'on', label: 'Allowed' },
  { value: 'off', label: 'Not allowed' },
  { value: 'words', label: 'In words, not in numbers' },
];

/** The number of options that differ from the settings. */
export function optionCount({ typos, words, isBoolean, isExact, ...texts }: SearchOptions): number {
  const filled = [texts.filter, texts.rules, texts.weights, texts.groupBy, texts.summed].map(
    (text) => text.trim() !== '',
  );
  return [typos !== 'set', words !== null, isBoolean, isExact, ...filled].filter(Boolean).length;
}

/** Parameters of the search. Text that is no list of weights is left to the server, which says what is wrong with it. */
export function parametersOf({ typos, rules, weights, words, isBoolean }: SearchOptions): GivenSearch {
  return {
    ...(typos === 'set' ? {} : { typoTolerance: typos === 'words' ? { disableOnNumbers: true } : typos === 'on' }),
    ...(rules.trim() === '' ? {} : { rankingRules: partsOf(rules).map(ruleOfText) as GivenSearch['rankingRules'] }),
    ...(weights.trim() === '' ? {} : { attributeWeights: weightsOf(weights) }),
    ...(words === null ? {} : { maxQueryWords: words }),
    ...(isBoolean ? { queryMode: 'boolean' } : {}),
  };
}

/** Parameters of the query for hits that the queries for other counts do not have. */
export function hitParametersOf({ groupBy, summed, summedBy, interval, isExact }: SearchOptions): GivenSearch {
  const aggregation = {
    stats: ['count', 'sum', 'avg', 'min', 'max'] as const,
    ...(interval === null ? {} : { histogram: { interval } }),
    ...(summedBy.trim() === '' ? {} : { by: summedBy.trim() }),
  };
  return {
    ...(groupBy.trim() === '' ? {} : { group: { by: groupBy.trim() } }),
    ...(summed.trim() === '' ? {} : { aggregations: { [summed.trim()]: aggregation } }),
    ...(isExact ? { exactDistinctCounts: true } : {}),
  };
}

/** The parts between commas that are in no brackets. */
function partsOf(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const sign of text) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function weightsOf(text: string): Record<string, number> {
  return Object.fromEntries(
    partsOf(text).map((part) => {
      const colon = part.lastIndexOf(':');
      return colon < 0 ? [part, 1] : [part.slice(0, colon).trim(), Number(part.slice(colon + 1))];
    }),
  );
}

const [TYPOS, FILTER, RULES, WEIGHTS, WORDS, MODE] = ['typos', 'filter', 'rules', 'weights', 'words', 'mode'];
const [GROUP, SUM, SUM_BY, INTERVAL, EXACT] = ['group', 'sum', 'sumBy', 'interval', 'exact'];

/** Adds the options that differ from the settings to an address. */
export function writeOptions(
  written: URLSearchParams,
  { typos, filter, rules, weights, words, isBoolean, groupBy, summed, summedBy, interval, isExact }: SearchOptions,
): void {
  if (typos !== 'set') written.set(TYPOS!, typos);
  if (filter !== '') written.set(FILTER!, filter);
  if (rules !== '') written.set(RULES!, rules);
  if (weights !== '') written.set(WEIGHTS!, weights);
  if (words !== null) written.set(WORDS!, String(words));
  if (isBoolean) written.set(MODE!, 'boolean');
  if (groupBy !== '') written.set(GROUP!, groupBy);
  if (summed !== '') written.set(SUM!, summed);
  if (summedBy !== '') written.set(SUM_BY!, summedBy);
  if (interval !== null) written.set(INTERVAL!, String(interval));
  if (isExact) written.set(EXACT!, 'true');
}

/** The options of an address; nonsense counts as absent. */
export function readOptions(read: URLSearchParams): SearchOptions {
  const words = Number(read.get(WORDS!));
  const interval = Number(read.get(INTERVAL!));
  return {
    typos: TYPO_CHOICES.find(({ value }) => value === read.get(TYPOS!))?.value ?? 'set',
    filter: read.get(FILTER!) ?? '',
    rules: read.get(RULES!) ?? '',
    weights: read.get(WEIGHTS!) ?? '',
    words: Number.isSafeInteger(words) && words > 0 ? words : null,
    isBoolean: read.get(MODE!) === 'boolean',
    groupBy: read.get(GROUP!) ?? '',
    summed: read.get(SUM!) ?? '',
    summedBy: read.get(SUM_BY!) ?? '',
    interval: Number.isFinite(interval) && interval > 0 ? interval : null,
    isExact: read.get(EXACT!) === 'true',
  };
}
