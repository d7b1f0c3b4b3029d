/** Ranking rules as the list shows them: a score is written `score(log(1 + popularity)) in 8 buckets`. */

const SCORE = /^score\((.*)\)(?: in (\d+) buckets)?$/s;

/** The text of a rule of the settings. */
export function ruleText(rule: unknown): string {
  if (typeof rule !== 'object' || rule === null) return String(rule);
  const { score, buckets } = rule as { readonly score?: unknown; readonly buckets?: unknown };
  return `score(${String(score)})${typeof buckets === 'number' ? ` in ${buckets} buckets` : ''}`;
}

/** The rule that a text stands for. */
export function ruleOfText(text: string): unknown {
  const [, score, buckets] = SCORE.exec(text) ?? [];
  return score === undefined ? text : { score, buckets: buckets === undefined ? null : Number(buckets) };
}
