import type { DocId } from '@fossick/base';
import { createKernel } from '@fossick/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { QueryGraph } from '../../query/query-graph.js';
import { BitmapPool } from '../terms/bitmap-pool.js';
import { DocumentSplitter } from './document-splitter.js';
import type { RankingRule } from './ranking-rule.js';

const DOC_COUNT = 600;
const NO_GRAPH: QueryGraph = { nodes: [], next: [] };

/** A rule with a bucket for each cost of a document, ascending. */
function ruleOf(pool: BitmapPool, costs: readonly number[]): RankingRule {
  return {
    readsGraph: true,
    isScored: true,
    isPerDocument: true,
    start: () => {
      let cost = -1;
      return {
        next: (universe) => {
          while (++cost <= 9) {
            const docs = pool.empty();
            for (let doc = 0 as DocId; doc < DOC_COUNT; doc++)
              if (costs[doc] === cost && pool.kernel.bitmaps.has(universe, doc)) pool.kernel.bitmaps.set(docs, doc);
            if (!pool.kernel.bitmaps.isEmpty(docs)) return { docs, graph: null, detail: null };
            pool.release(docs);
          }
          return null;
        },
        close: () => undefined,
      };
    },
  };
}

test('parts are neighbouring buckets of all rules together, in their order, and all documents are in one', () => {
  const costs = fc.array(fc.nat({ max: 9 }), { minLength: DOC_COUNT, maxLength: DOC_COUNT });
  fc.assert(
    fc.property(costs, costs, fc.integer({ min: 1, max: 2 }), fc.nat({ max: 400 }), (outer, inner, ruleCount, min) => {
      const kernel = createKernel();
      const pool = new BitmapPool(kernel, DOC_COUNT);
      const universe = pool.empty();
      for (let doc = 0; doc < DOC_COUNT; doc += 1 + (doc % 2)) kernel.bitmaps.set(universe, doc as DocId);
      const rules = [ruleOf(pool, outer), ruleOf(pool, inner)].slice(0, ruleCount);
      const splitter = new DocumentSplitter({ pool, graph: NO_GRAPH, rules, splitMin: min }, universe);
      const placeOf = (doc: number): number => outer[doc]! * 10 + (ruleCount === 2 ? inner[doc]! : 0);
      const seen = new Set<number>();
      let last = -1;
      let partCount = 0;
      for (let part = splitter.next(); part !== 0; part = splitter.next()) {
        const docs = [...kernel.bitmaps.members(part, 0, DOC_COUNT)];
        expect(docs.length).toBeGreaterThan(0);
        const places = docs.map(placeOf);
        expect(Math.min(...places)).toBeGreaterThan(last);
        last = Math.max(...places);
        for (const doc of docs) seen.add(doc);
        partCount += 1;
      }
      splitter.close();
      expect(partCount).toBeLessThanOrEqual(8);
      expect([...seen].sort((a, b) => a - b)).toEqual([...kernel.bitmaps.members(universe, 0, DOC_COUNT)]);
    }),
    { numRuns: 60 },
  );
});
