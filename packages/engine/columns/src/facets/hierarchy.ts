/** Facets whose values are paths: `Books > Novels > Crime`. */
import { isPast, joinedBytes, own, utf8Bytes, utf8Text } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import type { IndexSettings } from '@fossick/settings';
import { facetText } from '../bytes/facet-text.js';
import type { ColumnView } from '../port.js';
import { type ColumnReader, orGroupList } from '../reading/column-reader.js';
import { fieldCounts } from './counted-values.js';
import { spellerOf } from './value-spelling.js';

/** The separator of an attribute's paths, as written and as in normalised values. */
export interface Hierarchy {
  readonly separator: string;
  readonly separatorKey: string;
}

/** Undefined for an attribute that the setting `hierarchicalFacets` does not name. O(hierarchies) */
export function hierarchyOf(
  { hierarchicalFacets }: Pick<IndexSettings, 'hierarchicalFacets'>,
  field: string,
): Hierarchy | undefined {
  const found = hierarchicalFacets.find(({ attribute }) => attribute === field);
  if (found === undefined) return undefined;
  // letters around it keep its outer space
  return { separator: found.separator, separatorKey: facetText(`a${found.separator}a`).slice(1, -1) };
}

/** A step below a path. */
export interface FacetLevel {
  /** The whole path, as it is spelled. */
  readonly path: string;
  /** Its last step. */
  readonly name: string;
  /** Documents with the path or one below it. */
  readonly count: number;
  /** Whether documents have paths below it. */
  readonly hasChildren: boolean;
}

interface Child {
  isParent: boolean;
  /** Sum of the documents of its values; more than its documents where some have several. */
  sum: number;
  /** By column: its values that candidates have. */
  readonly groups: number[][];
}

/** Values between two checks of the clock. */
const VALUES_BETWEEN_CHECKS = 1_024;

/** Where steps are counted: below a path of an attribute; null: the first steps. */
export interface LevelsPlace {
  readonly field: string;
  readonly hierarchy: Hierarchy;
  readonly under: string | null;
}

/**
 * The steps right below a path (null: the first ones) among the candidates, in the order of the setting for the facet's values, at most
 * `maxValuesPerFacet`. After the deadline the rest is left out. O(values below the path, and documents of those with several values)
 */
export function facetLevels(
  view: ColumnView,
  candidates: Bitmap,
  { field, hierarchy, under }: LevelsPlace,
  deadlineMs: number,
): FacetLevel[] {
  const { separatorKey } = hierarchy;
  const prefix = under === null ? '' : facetText(under) + separatorKey;
  const counts = fieldCounts(view, candidates, field);
  const columns = counts.columns.map(({ column }) => column);
  const children = new Map<string, Child>();
  let seen = 0;
  for (const [at, { column }] of counts.columns.entries()) {
    const end = joinedBytes([utf8Bytes(prefix), Uint8Array.of(0xff)]);
    const [from, to] = [column.textBound(utf8Bytes(prefix), false), column.textBound(end, false)];
    for (const { group, count } of counts.columns[at]!.present('strings', from, to)) {
      if ((++seen & (VALUES_BETWEEN_CHECKS - 1)) === 0 && isPast(deadlineMs)) return [];
      const key = utf8Text(column.textAt(group));
      const next = key.indexOf(separatorKey, prefix.length);
      const path = next < 0 ? key : key.slice(0, next);
      if (path.length === prefix.length) continue;
      let child = children.get(path);
      if (child === undefined) {
        child = { isParent: false, sum: 0, groups: columns.map(() => []) };
        children.set(path, child);
      }
      child.isParent ||= next >= 0;
      child.sum += count;
      child.groups[at]!.push(group);
    }
  }
  const { maxValuesPerFacet, sortFacetValuesBy } = view.settings.faceting;
  const isByCount = (own(sortFacetValuesBy, field) ?? sortFacetValuesBy['*']) !== 'alpha';
  const counted: [string, Child, number][] = [];
  for (const [path, child] of children) {
    if (isPast(deadlineMs)) break;
    counted.push([path, child, documentCount(view, candidates, columns, child)]);
  }
  counted.sort(([a, , x], [b, , y]) => (isByCount ? y - x : 0) || (a < b ? -1 : 1));
  const spell = spellerOf(columns, candidates, false);
  const depth = prefix === '' ? 1 : prefix.split(separatorKey).length;
  return counted.slice(0, maxValuesPerFacet).map(([path, child, count]) => {
    const groups = child.groups.map(([first]) => first ?? -1);
    const at = groups.findIndex((group) => group >= 0);
    const spelled = spell({
      key: Uint8Array.from(columns[at]!.textAt(groups[at]!)),
      groups: groups.map((group, i) => (i === at ? group : -1)),
    });
    const steps = spelled.split(hierarchy.separator).slice(0, depth);
    const isWhole = steps.length === depth;
    return {
      path: isWhole ? steps.join(hierarchy.separator) : path,
      name: isWhole ? steps.at(-1)! : path.slice(prefix.length),
      count,
      hasChildren: child.isParent,
    };
  });
}

/** Documents of different columns are different ones. */
function documentCount(view: ColumnView, candidates: Bitmap, columns: readonly ColumnReader[], child: Child): number {
  if (child.groups.every((groups) => groups.length <= 1)) return child.sum;
  const { kernel } = view;
  const mark = kernel.memory.mark();
  const docs = kernel.bitmaps.create(view.bitCount);
  for (const [at, groups] of child.groups.entries())
    if (groups.length > 0) orGroupList(docs, columns[at]!, 'strings', groups);
  const count = kernel.bitmaps.intersectionCount(docs, candidates);
  kernel.memory.release(mark);
  return count;
}
