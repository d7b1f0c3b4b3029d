import type { Bitmap, BitmapRow, None } from '@fossick/kernel';
import type { SegmentPostings } from '@fossick/postings';
import type { GraphNode } from '../../query/query-graph.js';
import { idCount, type QueryTerm } from '../../query/query-term.js';
import type { StepSource } from '../paths/finder.js';
import type { TermDocs } from '../terms/term-docs.js';
import { POSITION_BUCKETS } from '../terms/term-positions.js';
import { nodeKey } from './fields.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';

/** The greatest distance of each cost, from 0 on; greater distances cost MAX_COST. */
const COST_LIMITS = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024] as const;
const MAX_COST = 10;

/** The rule `wordPosition`, second half of `attribute`: words at their positions of the query rank first. */
export function positionsRule(docs: TermDocs, isUnified: boolean): RankingRule {
  return graphRule(docs.pool, {
    steps: (universe) => new PositionSteps(docs, universe),
    detail: (cost, max) => ({ kind: 'position', rank: max - cost, max, isUnified }),
    isPerDocument: true,
  });
}

class PositionSteps implements StepSource {
  private readonly docsOf: TermDocs;
  private readonly universe: Bitmap;
  /** By nodeKey. */
  private readonly found = new Map<number, DocsByPosition>();
  /** For few documents all positions of a word are read at once, because they hardly all have one cost. */
  private readonly sparse: Bitmap | None;

  constructor(docsOf: TermDocs, universe: Bitmap) {
    this.docsOf = docsOf;
    this.universe = universe;
    this.sparse = docsOf.pool.ifSparse(universe);
  }

  costs(_from: GraphNode, to: GraphNode): readonly number[] {
    return costTableOf(to.term!).possible;
  }

  docs(_from: GraphNode, to: GraphNode, alternative: number): Bitmap | readonly (Bitmap | None)[] {
    const key = nodeKey(to);
    let byPosition = this.found.get(key);
    if (!byPosition) {
      byPosition = new DocsByPosition(this.docsOf, to, this.universe, costTableOf(to.term!), this.sparse);
      this.found.set(key, byPosition);
    }
    return this.sparse !== 0 ? byPosition.bitmaps : byPosition.ofAlternative(alternative);
  }

  narrowed(to: GraphNode): GraphNode {
    return to;
  }

  close(): void {
    for (const byPosition of this.found.values()) byPosition.close();
  }
}

/** A list with an index of position buckets, and the documents to consider. */
interface RankIndexedList {
  readonly list: SegmentPostings;
  readonly within: Bitmap;
}

/**
 * Documents by the cost of a term's positions in them. Rare words are walked once, common ones are looked up cost by
 * cost.
 */
class DocsByPosition {
  private readonly docs: TermDocs;
  private readonly costs: CostTable;
  /**
   * Parallel to the possible costs; 0 where a cost was not looked up. Complete only after `ofAlternative`, unless the documents are
   * few: 0 then stands for none.
   */
  readonly bitmaps: (Bitmap | None)[];
  /** The bitmaps of all positions, once one is read. */
  private targets: BitmapRow | undefined;
  private readonly lists: RankIndexedList[] = [];
  private readonly withins: Bitmap[] = [];
  /** Alternatives whose bitmap is complete: a bit each. */
  private complete = 0;
  private readonly sparse: Bitmap | None;

  /**
   * @param few the documents of the universe, when they are few
   */
  constructor(docs: TermDocs, to: GraphNode, universe: Bitmap, costs: CostTable, sparse: Bitmap | None) {
    this.docs = docs;
    this.sparse = sparse;
    this.costs = costs;
    this.bitmaps = new Array<Bitmap | None>(costs.possible.length).fill(0);
    for (const occurrences of docs.anchors(to.term!, to.set)) {
      const within = occurrences.within === 0 ? universe : docs.pool.intersection(universe, occurrences.within);
      if (within === 0) continue;
      if (within !== universe) this.withins.push(within);
      for (const list of docs.positions.scatterPositions(occurrences, within, () => this.allTargets())) {
        if (sparse !== 0) list.scatterMasks(within, this.allTargets());
        else this.lists.push({ list, within });
      }
    }
    if (this.targets === undefined) return;
    const { bitmaps } = docs.pool.kernel;
    for (const [position, alternative] of costs.alternativeAt.entries())
      this.bitmaps[alternative] = bitmaps.ofGroup(this.targets, position);
  }

  ofAlternative(alternative: number): Bitmap {
    const bitmap = this.bitmapOf(alternative);
    if ((this.complete & (1 << alternative)) === 0) {
      this.complete |= 1 << alternative;
      const wanted = this.costs.positionMasks[alternative]!;
      for (const { list, within } of this.lists) list.orMasks(bitmap, within, wanted);
    }
    return bitmap;
  }

  close(): void {
    const { pool } = this.docs;
    for (const bitmap of this.bitmaps) if (bitmap !== 0) pool.releaseWithin(bitmap, this.sparse);
    for (const bitmap of this.withins) pool.releaseWithin(bitmap, this.sparse);
  }

  private bitmapOf(alternative: number): Bitmap {
    const known = this.bitmaps[alternative]!;
    if (known !== 0) return known;
    const made = this.docs.pool.empty();
    this.bitmaps[alternative] = made;
    return made;
  }

  /** For a scatter that follows at once: of the ten or so costs most have no document, so their bitmaps are made by the scatter. */
  private allTargets(): BitmapRow {
    const { kernel, ptr } = this.docs.pool;
    this.targets ??= kernel.bitmaps.groupedRow(ptr, this.costs.alternativeAt);
    kernel.pools.reserve(ptr, this.bitmaps.length);
    return this.targets;
  }
}

function costOfDistance(distance: number): number {
  const cost = COST_LIMITS.findIndex((limit) => distance <= limit);
  return cost < 0 ? MAX_COST : cost;
}

/** The cost of a term at a (bucketed) position. */
function costAt(term: QueryTerm, position: number): number {
  const distance = Math.abs(position - term.startPosition);
  let cost = 0;
  for (let word = 0; word < idCount(term); word++) cost += costOfDistance(distance + word);
  return cost;
}

/** The costs of a term by position. */
interface CostTable {
  /** Ascending. It includes the greatest possible cost, which determines the rule's maximum even when no document has it. */
  readonly possible: readonly number[];
  /** By position: the index of its cost among the possible ones. */
  readonly alternativeAt: readonly number[];
  /** By possible cost: a mask of its positions. */
  readonly positionMasks: readonly number[];
}

/**
 * Tables by a term's position and number of words: the same for every query. Only those of low positions are cached, because queries
 * are short.
 */
const cachedTables: (CostTable | undefined)[] = [];
const CACHED_POSITIONS_MAX = 256;

function costTableOf(term: QueryTerm): CostTable {
  const key = term.startPosition * 4 + idCount(term);
  let table = cachedTables[key];
  if (!table) {
    table = costTable(term);
    if (term.startPosition < CACHED_POSITIONS_MAX) cachedTables[key] = table;
  }
  return table;
}

function costTable(term: QueryTerm): CostTable {
  const byPosition = POSITION_BUCKETS.map((position) => costAt(term, position));
  const possible = [...new Set([...byPosition, MAX_COST * idCount(term)])].sort((a, b) => a - b);
  const alternativeAt = byPosition.map((cost) => possible.indexOf(cost));
  const positionMasks = possible.map(() => 0);
  alternativeAt.forEach((alternative, at) => {
    positionMasks[alternative] = positionMasks[alternative]! | (1 << at);
  });
  return { possible, alternativeAt, positionMasks };
}
