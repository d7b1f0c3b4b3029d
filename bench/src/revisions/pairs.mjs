/** Two revisions measured in turn: how much more the newer one costs, and whether that is more than chance and than allowed. */

/** What is compared, and how it is found in the figures of a round. More is worse, or better where `isYield`. */
export const FIGURES = [
  { name: 'indexing, s', of: ({ indexingSeconds }) => indexingSeconds },
  { name: 'one search after the other, p50 in ms', of: ({ searchMs }) => searchMs.p50 },
  { name: 'eight clients, searches a second', of: ({ queriesPerSecond }) => queriesPerSecond, isYield: true },
  { name: 'small update, p50 in ms', of: ({ smallUpdateMs }) => smallUpdateMs.p50 },
  { name: 'processor time of all of it, s', of: ({ cpuSeconds }) => cpuSeconds },
  { name: 'most memory, MiB', of: ({ peakMiB }) => peakMiB },
];
/** Share of the rounds that must agree that a figure is worse: a busy moment of the machine strikes few. */
const AGREEING = 0.75;

/**
 * One row for each figure: medians of both revisions, the median of the costs of the rounds (1: the same, 1.2: a fifth more), and whether
 * it is `isWorse` than `ratio` allows. `rounds`: figures of both, measured right after one another. Figures that a machine does not tell
 * (undefined) are left out. Throws for no round, and for figures that are no positive numbers.
 */
export function comparePairs(rounds, ratio) {
  if (rounds.length === 0) throw new Error('there is no round to compare');
  return FIGURES.flatMap(({ name, of, isYield = false }) => {
    const pairs = rounds.map(({ base, head }) => ({ base: of(base), head: of(head) }));
    if (pairs.every(({ base, head }) => base === undefined && head === undefined)) return [];
    for (const value of pairs.flatMap(({ base, head }) => [base, head]))
      if (!(value > 0 && value < Number.POSITIVE_INFINITY)) throw new Error(`${name} is ${value}`);
    const costs = pairs.map(({ base, head }) => (isYield ? base / head : head / base));
    const cost = median(costs);
    const agreeing = costs.filter((each) => each > 1).length / costs.length;
    const isWorse = cost > ratio && agreeing >= AGREEING;
    const [base, head] = [median(pairs.map((pair) => pair.base)), median(pairs.map((pair) => pair.head))];
    return [{ name, base, head, cost, isWorse }];
  });
}

/** A table in Markdown. */
export function tableOf(rows) {
  const cells = rows.map(({ name, base, head, cost, isWorse }) => [
    name,
    round(base),
    round(head),
    `${round(cost)}${isWorse ? ' **worse**' : ''}`,
  ]);
  return [['figure', 'base', 'head', 'cost'], ['---', '---', '---', '---'], ...cells]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}

/** Whether rounds of both revisions found the same documents in the same order. */
export function answerAlike(rounds) {
  return rounds.every(({ base, head }) => base.answersHash === head.answersHash);
}

function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function round(value) {
  return Number(value.toPrecision(3));
}
