import type { Ptr } from '@fossick/kernel';
import type { GraphNode } from '../query-graph.js';
import { idCount, type QueryTerm } from '../query-term.js';
import { POSITION_BUCKETS, type TermDocs } from '../term-docs.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';
import { spreadAnchors } from './spread.js';

/** Greatest distance of each cost, from 0 on; farther costs MAX_COST (spec 11 section 8.5). */
const COST_LIMITS = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024] as const;
const MAX_COST = 10;

/** The rule `wordPosition`, second half of `attribute`: words where the query has them first. */
export function positionsRule(docs: TermDocs, isUnified: boolean): RankingRule {
  const costs = new CostTables();
  return graphRule(docs.pool, {
    edges: (universe) => {
      const found = new Map<string, ReadonlyMap<number, Ptr>>();
      const byCost = (to: GraphNode): ReadonlyMap<number, Ptr> => {
        const key = `${to.term!.index}.${to.set}`;
        let bitmaps = found.get(key);
        if (!bitmaps) {
          bitmaps = docsByCost(docs, to, universe, costs.of(to.term!));
          found.set(key, bitmaps);
        }
        return bitmaps;
      };
      return (_, to) =>
        costs.of(to.term!).possible.map((cost) => ({ cost, docs: () => byCost(to).get(cost)!, node: to }));
    },
    detail: (cost, max) => ({ kind: 'position', rank: max - cost, max, isUnified }),
  });
}

function costOfDistance(distance: number): number {
  const cost = COST_LIMITS.findIndex((limit) => distance <= limit);
  return cost < 0 ? MAX_COST : cost;
}

/** What a term costs where it stands at a (bucketed) position. */
function costAt(term: QueryTerm, position: number): number {
  const distance = Math.abs(position - term.startPosition);
  let cost = 0;
  for (let word = 0; word < idCount(term); word++) cost += costOfDistance(distance + word);
  return cost;
}

/** What a term costs by position, and the costs that there are. */
interface CostTable {
  readonly byPosition: readonly number[];
  /** Ascending; the highest there can be is among them: it fixes the rule's maximum even where no document is so far off. */
  readonly possible: readonly number[];
}

/** The tables of a query's terms, made once for all buckets of a search. */
class CostTables {
  private readonly tables = new Map<number, CostTable>();

  of(term: QueryTerm): CostTable {
    let table = this.tables.get(term.index);
    if (!table) {
      const byPosition = POSITION_BUCKETS.map((position) => costAt(term, position));
      const possible = [...new Set([...byPosition, MAX_COST * idCount(term)])].sort((a, b) => a - b);
      table = { byPosition, possible };
      this.tables.set(term.index, table);
    }
    return table;
  }
}

function docsByCost(docs: TermDocs, to: GraphNode, universe: Ptr, costs: CostTable): ReadonlyMap<number, Ptr> {
  const byCost = new Map<number, Ptr>();
  for (const cost of costs.possible) byCost.set(cost, docs.pool.empty());
  const byPosition = costs.byPosition.map((cost) => byCost.get(cost)!);
  spreadAnchors(
    docs,
    to,
    universe,
    (occurrences, within, targets) => docs.spreadPositions(occurrences, within, targets),
    byPosition,
  );
  return byCost;
}
