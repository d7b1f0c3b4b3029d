/** The tables of docs/internals/tested-guarantees.md: each row names its test, each test once, and every test that is named exists. */

/** Short for the folder with most tests of the page; its files are written without their endings. */
const SHORT_FOLDER = /^R\/([\w-]+)$/;
/** A file, and the tests in it that the row means: `a.test.ts: "one", "another"`. */
const NAMED_FILE = /((?:[\w-]+\/)+[\w.-]+\.test\.ts|R\/[\w-]+)((?:(?::|,) "[^"]+")*)/g;
const QUOTED = /"([^"]+)"/g;

export interface TestedRow {
  /** 1-based. */
  readonly line: number;
  /** The cell under the heading `test`. */
  readonly test: string;
}

/** The rows of all tables that have a column named `test`. */
export function testedRows(page: string): TestedRow[] {
  let column = -1;
  return page.split('\n').flatMap((text, at) => {
    const cells = text.startsWith('|') ? cellsOf(text) : [];
    if (cells.length === 0) column = -1;
    else if (column < 0) column = cells.indexOf('test');
    else if (!/^\|[-|]+$/.test(text)) return [{ line: at + 1, test: cells[column] ?? '' }];
    return [];
  });
}

/** `read` answers with a file's text, or null when there is none; paths are relative to the root. */
export function findTestedRowFaults(page: string, read: (path: string) => string | null): string[] {
  const lineOf = new Map<string, number>();
  return testedRows(page).flatMap(({ line, test }) => {
    const faults: string[] = [];
    const before = lineOf.get(test);
    if (before !== undefined) faults.push(`line ${line} has the test cell of line ${before}: ${test}`);
    else lineOf.set(test, line);
    const files = [...test.matchAll(NAMED_FILE)];
    if (files.length === 0) faults.push(`line ${line} names no test`);
    for (const [, name = '', tests = ''] of files) {
      const path = name.replace(SHORT_FOLDER, 'apps/server/src/reliability/$1.test.ts');
      const text = ['.test.ts', '.system.test.ts', '.long.test.ts']
        .map((ending) => read(path.replace(/\.test\.ts$/, ending)))
        .find((found) => found !== null);
      if (text === undefined) faults.push(`line ${line} names ${path}, which does not exist`);
      for (const [, quoted = ''] of tests.matchAll(QUOTED)) {
        if (text?.includes(quoted) === false) faults.push(`line ${line} names a test that ${path} lacks: ${quoted}`);
      }
    }
    return faults;
  });
}

function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
