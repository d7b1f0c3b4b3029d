/**
 * True when some prefix of `text` is within `budget` edits of `query` (insert, delete, replace, swap of neighbours), by code points.
 * O(query * (query + budget)).
 */
export function isWithinPrefixDistance(query: string, text: string, budget: number): boolean {
  const wanted = [...query];
  const longest = wanted.length + budget;
  const chars = [...text.slice(0, longest * 2)].slice(0, longest);
  let before: number[] = [];
  let row = wanted.map((_, index) => index + 1);
  row.unshift(0);
  if ((row[wanted.length] ?? 0) <= budget) return true;
  for (let i = 0; i < chars.length; i++) {
    const next = [i + 1];
    let least = i + 1;
    for (let j = 1; j <= wanted.length; j++) {
      const isSame = chars[i] === wanted[j - 1];
      let cost = Math.min((row[j - 1] ?? 0) + (isSame ? 0 : 1), (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      if (i > 0 && j > 1 && chars[i] === wanted[j - 2] && chars[i - 1] === wanted[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      next.push(cost);
      least = Math.min(least, cost);
    }
    if ((next[wanted.length] ?? 0) <= budget) return true;
    if (least > budget + 1) return false; // a swap looks two rows back, hence the slack of one
    [before, row] = [row, next];
  }
  return false;
}
