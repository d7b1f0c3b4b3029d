/** Sizes of folders, classes and functions. The lists below are exact: an entry that is no longer needed is reported. */
import { posix } from 'node:path';
import type { CodeFile } from './rules.js';
import { isTest, type Length, readFacts, type SourceFile } from './source-file.js';

/** Source files directly in one folder: more are not taken in at one look. */
export const FOLDER_FILES_MAX = 15;
/** Lines of a class: a longer one has several subjects. */
export const CLASS_LINES_MAX = 250;
/** Lines of a function: it is read without scrolling. */
export const FUNCTION_LINES_MAX = 70;

/** Too large today, each with its size, which may only shrink; entries are removed as they are split, and none is added. */
export const OPEN_SIZES: Readonly<Record<string, number>> = {
  'packages/engine/index/src/transaction/index-transaction.ts IndexTransaction': 351,
  'packages/service/cluster/src/node/cluster-node.ts ClusterNode': 276,
  'packages/service/replication/src/replica/replica.ts Replica': 277,
};

interface Sized {
  readonly place: string;
  readonly size: number;
  readonly max: number;
  readonly unit: string;
}

/**
 * Folders with more source files, and classes and functions with more lines, than they may have. `code` has the facts of
 * files that are parsed already; AssemblyScript is parsed here.
 */
export function findLargeSizes(files: readonly SourceFile[], code: readonly CodeFile[], open = OPEN_SIZES): string[] {
  const sources = files.filter(({ path }) => /\.(tsx?|mts|js|mjs)$/.test(path) && !isTest(path));
  const parsed = new Map(code.map((file) => [file.path, file.lengths]));
  const lengths = sources.flatMap((file) => lengthsOf(file.path, parsed.get(file.path) ?? readFacts(file).lengths));
  const large = [...foldersOf(sources), ...lengths].filter(({ size, max }) => size > max);
  const known = new Set(large.map(({ place }) => place));
  return [
    ...large
      .filter(({ place, size, max }) => size > (open[place] ?? max))
      .map(({ place, size, max, unit }) => `${place} has ${size} ${unit}: ${open[place] ?? max} at most`),
    ...Object.keys(open)
      .filter((place) => !known.has(place))
      .map((place) => `${place} is not too large any more: take it off the list in sizes.ts`),
  ];
}

function foldersOf(sources: readonly SourceFile[]): Sized[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([place, size]) => ({ place, size, max: FOLDER_FILES_MAX, unit: 'source files' }));
}

function lengthsOf(path: string, lengths: readonly Length[]): Sized[] {
  return lengths.map(({ kind, name, lineCount }) => ({
    place: `${path} ${name}`,
    size: lineCount,
    max: kind === 'class' ? CLASS_LINES_MAX : FUNCTION_LINES_MAX,
    unit: 'lines',
  }));
}
