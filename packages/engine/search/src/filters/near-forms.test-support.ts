/**
 * The oracle of the kernel's search: computes the whole table of distances for every text. True when `text`, or a
 * prefix of it that decides, is within `budget` edits of `query` (insert, delete, replace, swap of neighbours), by code
 * points. A prefix decides only when no shorter prefix of the query is closer to it: otherwise the rest of the query is
 * still expected after it. O(query * (query + budget))
 */
export function slowIsWithinPrefixDistance(query: string, text: string, budget: number): boolean {
  const wanted = [...query];
  const longest = wanted.length + budget;
  const chars = [...text.slice(0, longest * 2)].slice(0, longest);
  let before: number[] = [];
  let row = wanted.map((_, index) => index + 1);
  row.unshift(0);
  if (wanted.length === 0 || (chars.length === 0 && wanted.length <= budget)) return true;
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
    const distance = next[wanted.length] ?? 0;
    if (distance <= budget && (i === chars.length - 1 || next.every((start) => start >= distance))) return true;
    if (least > budget + 1) return false; // a swap refers to two rows before, hence the slack of one
    [before, row] = [row, next];
  }
  return false;
}
