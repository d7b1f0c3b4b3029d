/** Circular imports, types included: to understand one file of a circle one must read them all. */
import { posix } from 'node:path';
import { FOLDER_LAYERS } from './packages.js';
import { type CodeFile, packageOf } from './rules.js';
import { isTest } from './source-file.js';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Files that import each other, directly or over other files. */
export function findFileCircles(files: readonly CodeFile[]): string[] {
  return circlesOf(importsOf(files)).map((circle) => `files import each other: ${circle.join(', ')}`);
}

/**
 * Folders of a package that import each other. A file directly in `src` is a unit of its own, and the index, which
 * imports everything, is left out.
 */
export function findFolderCircles(files: readonly CodeFile[]): string[] {
  const folders = new Map<string, Set<string>>();
  for (const [path, imported] of importsOf(files)) {
    const from = unitOf(path);
    for (const target of imported) {
      const to = unitOf(target);
      if (from !== to) folders.set(from, (folders.get(from) ?? new Set()).add(to));
    }
  }
  return circlesOf(folders).map((circle) => `folders import each other: ${circle.join(', ')}`);
}

/** Imports against the layers of a package's folders. Files directly in the layered folder compose all of them. */
export function findLayerBreaks(files: readonly CodeFile[]): string[] {
  return [...importsOf(files)].flatMap(([path, imported]) => {
    const root = Object.keys(FOLDER_LAYERS).find((folder) => path.startsWith(`${folder}/`));
    if (root === undefined || posix.dirname(path) === root) return [];
    const from = layerOf(root, path);
    if (from < 0) return [`${path}: its folder is in no layer of ${root}`];
    return [...imported]
      .filter((target) => unitOf(target) !== unitOf(path) && layerOf(root, target) >= from)
      .map((target) => `${path} imports ${target}: that folder is in no earlier layer`);
  });
}

function layerOf(root: string, path: string): number {
  const folder = posix.relative(root, posix.dirname(path));
  return FOLDER_LAYERS[root]!.findIndex(
    (layer) => layer === folder || (layer.endsWith('/*') && folder.startsWith(layer.slice(0, -1))),
  );
}

/** The imports of each file within its own package; the package's index is left out. */
function importsOf(files: readonly CodeFile[]): Map<string, Set<string>> {
  const sources = files.filter(({ path }) => packageOf(path) !== undefined && !isTest(path) && !isIndex(path));
  const known = new Set(sources.map(({ path }) => path));
  return new Map(
    sources.map(({ path, modules }) => {
      const targets = modules
        .filter((module) => module.startsWith('.'))
        .map((module) => posix.join(posix.dirname(path), module).replace(/\.js$/, ''))
        .flatMap((stem) => [`${stem}.ts`, `${stem}.tsx`, stem].filter((candidate) => known.has(candidate)));
      return [path, new Set(targets)];
    }),
  );
}

const isIndex = (path: string): boolean => path.endsWith('/src/index.ts');

function unitOf(path: string): string {
  const folder = posix.dirname(path);
  return folder.endsWith('/src') ? path : folder;
}

/** Strongly connected parts of more than one node, each in order of its names (Tarjan). O(nodes + edges) */
function circlesOf(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): void => {
    const at = order.size;
    order.set(node, at);
    lowest.set(node, at);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== at) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}
