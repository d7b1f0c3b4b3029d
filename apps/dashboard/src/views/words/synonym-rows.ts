/** One line of the editor: a word or phrase, and its synonyms. */
export interface SynonymRow {
  /** Identifies the row while it is edited. */
  readonly id: number;
  readonly word: string;
  readonly others: readonly string[];
}

export function rowsOf(synonyms: Readonly<Record<string, readonly string[]>>): SynonymRow[] {
  return Object.entries(synonyms).map(([word, others], id) => ({ id, word, others }));
}

/** The setting for the rows; rows of the same word are joined, empty ones ignored. */
export function synonymsOf(rows: readonly SynonymRow[]): Record<string, string[]> {
  const joined = new Map<string, string[]>();
  for (const { word, others } of rows) {
    const name = word.trim();
    const said = others.filter((other) => other !== name);
    if (name !== '' && said.length > 0) joined.set(name, [...new Set([...(joined.get(name) ?? []), ...said])]);
  }
  return Object.fromEntries(joined);
}

/** The rows with one that holds in every direction: each of its words is a synonym of all others. */
export function bothWays(rows: readonly SynonymRow[], row: SynonymRow): SynonymRow[] {
  const all = [row.word.trim(), ...row.others];
  let next = rows.map((each) => ({ ...each }));
  let id = Math.max(-1, ...rows.map((each) => each.id));
  for (const word of row.others) {
    const others = all.filter((each) => each !== word);
    const at = next.findIndex((each) => each.word.trim() === word);
    if (at < 0) next.push({ id: ++id, word, others });
    else next = next.with(at, { ...next[at]!, others: [...new Set([...next[at]!.others, ...others])] });
  }
  return next;
}
