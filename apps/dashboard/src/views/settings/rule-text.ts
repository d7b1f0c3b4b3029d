/** Ranking rules as the list shows them: a score is written `score(log(1 + popularity)) in 8 buckets`. */
import { isObject } from './draft.js';

const SCORE = /^score\((.*)\)(?: in (\d+) buckets)?$/s;

/** The text of a rule of the settings. */
export function ruleText(rule: unknown): string {
  if (!isObject(rule)) return String(rule);
  const buckets = rule['buckets'];
  return `score(${String(rule['score'])})${typeof buckets === 'number' ? ` in ${buckets} buckets` : ''}`;
}

/** The rule that a text stands for. */
export function ruleOfText(text: string): unknown {
  const [, score, buckets] = SCORE.exec(text) ?? [];
  return score === undefined ? text : { score, buckets: buckets === undefined ? null : Number(buckets) };
}
