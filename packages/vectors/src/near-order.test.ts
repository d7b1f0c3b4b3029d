import { createKernel } from '@fossick/kernel';
import { expect, it } from 'vitest';
import { nearOrder } from './near-order.js';

/** Numbers of -1 to 1, the same each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
const DIMS = 24;

it('puts vectors of one cluster together, which came in any order', () => {
  const next = numbers(7);
  const [clusters, perCluster] = [40, 50];
  const centres = Array.from({ length: clusters }, () => Array.from({ length: DIMS }, next));
  const count = clusters * perCluster;
  const clusterOf = (at: number): number => (at * 17) % clusters;
  const values = new Float32Array(count * DIMS).map(
    (_, at) => centres[clusterOf(Math.floor(at / DIMS))]![at % DIMS]! + next() / 8,
  );
  const kernel = createKernel();
  const before = kernel.allocatedBytes;
  const order = nearOrder(kernel, {
    dimCount: DIMS,
    docIds: Uint32Array.from({ length: count }, (_, at) => at),
    values,
  });
  expect(kernel.allocatedBytes).toBe(before);
  expect([...order].sort((left, right) => left - right)).toEqual([...Array(count).keys()]);
  let changes = 0;
  for (let at = 1; at < count; at++) changes += Number(clusterOf(order[at]!) !== clusterOf(order[at - 1]!));
  // in the order in which they came it is 1,999
  expect(changes).toBeLessThan(400);
});

it('leaves vectors of one document side by side, and documents in their order where all are alike', () => {
  const next = numbers(11);
  const docIds = Uint32Array.from({ length: 900 }, (_, at) => 3 * Math.floor(at / 3));
  const values = new Float32Array(900 * DIMS).map(next);
  const order = nearOrder(createKernel(), { dimCount: DIMS, docIds, values });
  for (let at = 0; at < 900; at += 3) expect([order[at + 1], order[at + 2]]).toEqual([order[at]! + 1, order[at]! + 2]);
  const same = nearOrder(createKernel(), { dimCount: DIMS, docIds, values: values.fill(0.5) });
  expect([...same]).toEqual([...Array(900).keys()]);
  const directionless = nearOrder(createKernel(), { dimCount: DIMS, docIds, values: values.fill(0) });
  expect([...directionless]).toEqual([...Array(900).keys()]);
});
