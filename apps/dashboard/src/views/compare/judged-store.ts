import { type JudgedFile, type JudgedSearch, parseJudged } from '@fossick/api/judged';

const STORAGE_NAME = 'fossick.judged';
/** The hits that count. */
export const JUDGED_HITS = 10;
const NONE: JudgedFile = { k: JUDGED_HITS, atLeast: null, searches: [] };

/** What was judged in this browser. */
export function storedJudged(): JudgedFile {
  try {
    return parseJudged(localStorage.getItem(STORAGE_NAME) ?? '');
  } catch {
    return NONE;
  }
}
export function storeJudged(file: JudgedFile): void {
  localStorage.setItem(STORAGE_NAME, JSON.stringify(file));
}

/** The grades of documents in a search for words; none are there yet for most. */
export function gradesOf({ searches }: JudgedFile, index: string, q: string): JudgedSearch['grades'] {
  return searches.find((each) => isFor(each, index, q))?.grades ?? {};
}

/** The file with another grade of a document; null takes it away, and a search without grades with it. */
export function withGrade(
  file: JudgedFile,
  {
    index,
    primaryKey,
    q,
    id,
  }: { readonly index: string; readonly primaryKey: string; readonly q: string; readonly id: string },
  grade: number | null,
): JudgedFile {
  const { [id]: _before, ...others } = gradesOf(file, index, q);
  const grades = grade === null ? others : { ...others, [id]: grade };
  const rest = file.searches.filter((each) => !isFor(each, index, q));
  const judged = { index, primaryKey, search: { q }, grades };
  return { ...file, searches: Object.keys(grades).length === 0 ? rest : [...rest, judged] };
}

/** A search for these words and nothing else: one of a file with more parameters is another search. */
function isFor({ index, search }: JudgedSearch, wanted: string, q: string): boolean {
  return index === wanted && search['q'] === q && Object.keys(search).length === 1;
}

/** How the rank of each hit on one side differs from its rank on the other: `+2` for two ranks higher, `new` where the other side does not have it. */
export function movesOf(ids: readonly string[], others: readonly string[]): string[] {
  return ids.map((id, at) => {
    const before = others.indexOf(id);
    if (before < 0) return 'new';
    return before === at ? '' : `${before > at ? '+' : '−'}${Math.abs(before - at)}`;
  });
}
