/** The graph of packages: which imports which, and by how many names. Extensions, programs of `apps`, benches and tools are left out. */
import { posix } from 'node:path';
import { ALLOWED_IMPORTS, EXTENSIONS_GROUP, THIN_EDGES } from './packages.js';
import { type CodeFile, packageOf } from './rules.js';
import { isTest } from './source-file.js';

/** Packages of the core: those below `packages`, without the one that programs install and the extensions. */
export const PACKAGES_MAX = 25;
/** Packages on the longest path of imports: each is one more to know before the next can be understood. */
export const LAYERS_MAX = 10;
/** Names that one package imports of another at least: fewer are an accident of where a function is. */
export const EDGE_NAMES_MIN = 3;

/** An import of a package by another one, with the names that are imported; `*` stands for all of a module. */
export interface PackageEdge {
  readonly from: string;
  readonly to: string;
  readonly names: ReadonlySet<string>;
}

/** The imports between packages that are shipped: those of tests are left out. */
export function packageEdges(files: readonly CodeFile[]): PackageEdge[] {
  const edges = new Map<string, { from: string; to: string; names: Set<string> }>();
  for (const { path, imports } of files) {
    const folder = packageOf(path);
    if (folder === undefined || !folder.startsWith('packages/') || folder.startsWith(EXTENSIONS_GROUP) || isTest(path))
      continue;
    const from = posix.basename(folder);
    for (const { module, names } of imports) {
      const to = /^@fossick\/([^/]+)/.exec(module)?.[1];
      if (to === undefined || to === from) continue;
      const edge = edges.get(`${from} -> ${to}`) ?? { from, to, names: new Set<string>() };
      edges.set(`${from} -> ${to}`, edge);
      for (const name of names) edge.names.add(name);
    }
  }
  return [...edges.values()];
}

/**
 * Edges of fewer names than EDGE_NAMES_MIN: what they carry belongs to one of the two packages. Those into the foundation,
 * which anybody may use for one function, and those with a reason are left out; a reason that is not needed is reported.
 */
export function findThinEdges(edges: readonly PackageEdge[], known = THIN_EDGES): string[] {
  const thin = edges.filter(({ to, names }) => names.size < EDGE_NAMES_MIN && !isFoundation(to));
  const found = new Set(thin.map(nameOf));
  return [
    ...thin
      .filter((edge) => !known.has(nameOf(edge)))
      .map((edge) => `${nameOf(edge)} carries ${[...edge.names].join(', ')} alone: who uses it should have it`),
    ...[...known.keys()]
      .filter((name) => !found.has(name))
      .map((name) => `${name} has its names: take it off the list in packages.ts`),
  ];
}

/** The packages of the longest path of imports, the importing one first. O(packages + edges) */
export function longestPath(edges: readonly PackageEdge[]): string[] {
  const paths = new Map<string, readonly string[]>();
  const pathFrom = (name: string): readonly string[] => {
    const known = paths.get(name);
    if (known !== undefined) return known;
    const below = edges.filter(({ from }) => from === name).map(({ to }) => pathFrom(to));
    const path = [name, ...longestOf(below)];
    paths.set(name, path);
    return path;
  };
  return [...longestOf(edges.map(({ from }) => pathFrom(from)))];
}

function longestOf(paths: readonly (readonly string[])[]): readonly string[] {
  return paths.reduce((longest, path) => (path.length > longest.length ? path : longest), []);
}

const nameOf = ({ from, to }: PackageEdge): string => `${from} -> ${to}`;

function isFoundation(name: string): boolean {
  return `packages/foundation/${name}` in ALLOWED_IMPORTS;
}
