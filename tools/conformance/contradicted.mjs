/**
 * Recorded answers that a row of docs/reference/differences.md contradicts: contradicted.json names each with its row. Where such a case
 * differs it is left out of the figures; every other difference counts.
 */
import { readFileSync } from 'node:fs';

const file = new URL('./contradicted.json', import.meta.url);

/** `{ suite: [{ difference, category, request }] }`; `difference` is the first cell of the row. */
export function readContradicted() {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The figures without the failures that are named. Says how many these are. */
export function withoutContradicted(figures, failures, named) {
  const known = new Set(named.map(keyOf));
  const leftOut = failures.filter((failure) => known.has(keyOf(failure)));
  if (leftOut.length > 0)
    console.log(`left out: ${leftOut.length} of ${named.length} answers that contradicted.json names`);
  return figures.map((figure) => {
    const count = leftOut.filter(({ category }) => figure.name.endsWith(`/${category}`)).length;
    return { ...figure, total: figure.total - count };
  });
}

const keyOf = ({ category, request }) => JSON.stringify([category, request]);
