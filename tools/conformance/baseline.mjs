/** The figures that must be reached, in percent of cases passed, and the comparison with those of a run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const baselineFile = new URL('./baseline.json', import.meta.url);

/** `{ 'part/category': percent }`; empty when nothing was recorded yet. */
export function readBaseline(file = baselineFile) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Percent passed, truncated (not rounded) to two decimals, so that a recorded figure was always reached. */
export function percentOf({ passed, total }) {
  return total === 0 ? 0 : Math.floor((passed / total) * 10_000) / 100;
}

/**
 * One row per figure of the run, and one for each figure of the baseline that is missing in the parts that ran. A
 * figure without a baseline passes.
 */
export function compareFigures(figures, baseline, parts) {
  const rows = figures.map((figure) => {
    const percent = percentOf(figure);
    const floor = baseline[figure.name];
    return { ...figure, percent, floor, isHeld: floor === undefined || percent >= floor };
  });
  const seen = new Set(figures.map((figure) => figure.name));
  for (const [name, floor] of Object.entries(baseline)) {
    if (seen.has(name) || !parts.includes(name.split('/')[0])) continue;
    rows.push({ name, passed: 0, total: 0, percent: 0, floor, isHeld: floor === 0 });
  }
  return rows;
}

/** Records the figures that are higher than the baseline's (or new) and returns how many; none is ever lowered. */
export function raiseBaseline(figures, file = baselineFile) {
  const baseline = readBaseline(file);
  let raisedCount = 0;
  for (const figure of figures) {
    const percent = percentOf(figure);
    if (baseline[figure.name] !== undefined && baseline[figure.name] >= percent) continue;
    baseline[figure.name] = percent;
    raisedCount++;
  }
  const sorted = Object.fromEntries(Object.entries(baseline).sort(([left], [right]) => (left < right ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
  return raisedCount;
}

/** Prints the rows as one table, with a sum for each part. */
export function printTable(rows) {
  const width = Math.max(8, ...rows.map((row) => row.name.length));
  console.log(`\n${'figure'.padEnd(width)}   passed     percent  baseline`);
  const sums = new Map();
  for (const row of rows) {
    printRow(row, width, row.isHeld ? '' : '  BELOW');
    const part = row.name.split('/')[0];
    const sum = sums.get(part) ?? { name: `${part} (all)`, passed: 0, total: 0 };
    sums.set(part, { ...sum, passed: sum.passed + row.passed, total: sum.total + row.total });
  }
  for (const sum of sums.values()) printRow({ ...sum, percent: percentOf(sum) }, width, '');
}

function printRow({ name, passed, total, percent, floor }, width, mark) {
  const count = `${passed}/${total}`.padStart(9);
  const figures = `${percent.toFixed(2).padStart(10)}${(floor?.toFixed(2) ?? '-').padStart(10)}`;
  console.log(`${name.padEnd(width)}${count}${figures}${mark}`);
}
