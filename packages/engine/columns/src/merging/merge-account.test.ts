import type { FieldId, LocalOrdinal, SegmentId } from '@fossick/base';
import {
  DocSet,
  fieldChunk,
  getChunks,
  PARTS,
  putChunks,
  type RowReader,
  type RowSink,
  type SegmentInfo,
} from '@fossick/format';
import { createKernel } from '@fossick/kernel';
import { CountedMemory, MemoryBudget, MergeAccount, MergeAccounts, newSharedBudget } from '@fossick/kernel/memory';
import { expect, it } from 'vitest';
import { FacetColumnBuilder } from '../building/column-builder.js';
import { readColumn } from '../bytes/column-format.js';
import { mergeFacets } from './merge-facets.js';

const MIB = 2 ** 20;
const MAX = 256 * MIB;
/** What a merging thread has from its start on. */
const THREAD = 16 * MIB;
const FIELD = 0 as FieldId;
const DOCUMENTS = 20_000;
/** The longest wait of a merge, and the longest in which nothing is freed, in milliseconds. */
const [WAIT_MS_MAX, SILENT_MS_MAX] = [20_000, 1_000];

function searchingBeside(claimedBytes: number, searchBytes = 0) {
  const buffer = newSharedBudget(2);
  const searching = new MemoryBudget(MAX, { buffer, owner: 0 });
  searching.report(searchBytes);
  const account = new MergeAccount(new MergeAccounts(buffer, MAX).open(claimedBytes)!);
  return { searching, account };
}

it('a merge waits before it begins until searches have freed what it has claimed, and no more within its claim', () => {
  const { searching, account } = searchingBeside(100 * MIB, MAX);
  let pauses = 0;
  const memory = new CountedMemory(createKernel(), account, () => {
    pauses += 1;
    // a search takes its new allowance the next time it begins
    if (pauses === 3) searching.report(searching.allowance);
  });
  expect(pauses).toBe(3);
  expect(searching.allowance).toBe(MAX - 100 * MIB);
  memory.hold(70 * MIB);
  memory.hold(0);
  memory.hold(60 * MIB);
  expect([pauses, searching.allowance]).toEqual([3, MAX - 100 * MIB]);
});

it('a merge that grows beyond its claim waits until searches have freed what it has reported', () => {
  const { searching, account } = searchingBeside(THREAD);
  const kernel = createKernel();
  let pauses = 0;
  const memory = new CountedMemory(kernel, account, () => {
    pauses += 1;
    if (pauses === 3) searching.report(searching.allowance);
  });
  searching.report(MAX);
  expect(pauses).toBe(0);
  memory.hold(100 * MIB);
  expect(pauses).toBe(3);
  expect(searching.allowance).toBe(MAX - THREAD - 100 * MIB - Math.ceil(kernel.memory.byteCount / 1024) * 1024);
  memory.hold(0);
  memory.hold(100 * MIB);
  memory.hold(102 * MIB);
  expect(pauses).toBe(3);
});

it('counts the kernel of the merge', () => {
  const { searching, account } = searchingBeside(0);
  const kernel = createKernel();
  const memory = new CountedMemory(kernel, account, () => expect.unreachable());
  const before = searching.allowance;
  const block = kernel.memory.allocate(32 * MIB);
  memory.settle();
  kernel.memory.free(block);
  expect(before - searching.allowance).toBeGreaterThan(31 * MIB);
  expect(before - searching.allowance).toBeLessThan(40 * MIB);
});

it('waits a second for searches that free nothing, and twenty in all for those that free a little each time', () => {
  const { searching, account } = searchingBeside(100 * MIB, 2 * MAX);
  let waitedMs = 0;
  const pause = (milliseconds: number): void => {
    waitedMs += milliseconds;
  };
  const memory = new CountedMemory(createKernel(), account, pause);
  expect(waitedMs).toBe(SILENT_MS_MAX);
  for (let growth = 15; growth <= 100; growth++) memory.hold(growth * 8 * MIB);
  expect(waitedMs).toBe(WAIT_MS_MAX);

  const slow = searchingBeside(100 * MIB, 2 * MAX);
  let bytes = 2 * MAX;
  let pauses = 0;
  new CountedMemory(createKernel(), slow.account, (milliseconds) => {
    pauses += 1;
    bytes -= 1024;
    slow.searching.report(bytes);
    expect(pauses * milliseconds).toBeLessThanOrEqual(WAIT_MS_MAX);
  });
  expect(pauses).toBe(WAIT_MS_MAX / 10);
  expect(searching.allowance).toBe(MAX / 2);
});

it('a column is counted in its old and its new form while it is merged, and not after', () => {
  const rows = rowsInMemory();
  const sources = [1, 2].map((id) => {
    const column = new FacetColumnBuilder();
    for (let doc = 0; doc < DOCUMENTS; doc++)
      column.addValue((id * DOCUMENTS + doc) as LocalOrdinal, 'string', `value ${doc * 7}`);
    putChunks(rows, id as SegmentId, PARTS.facetColumn, column.build(), fieldChunk(FIELD));
    const info: SegmentInfo = {
      id: id as SegmentId,
      docCount: DOCUMENTS,
      deadCount: 0,
      wordCounts: [0, 0],
      postingBytes: 0,
      facetFields: ['tag'],
      facetFieldIds: [FIELD],
    };
    return { info, deletedDocs: new DocSet() };
  });
  const bytesOf = (id: number): number =>
    getChunks(rows, id as SegmentId, PARTS.facetColumn, fieldChunk(FIELD))!.length;
  const held: number[] = [];
  for (const _ of mergeFacets(rows, sources, 3 as SegmentId, { hold: (bytes) => held.push(bytes) }));
  expect(readColumn(getChunks(rows, 3 as SegmentId, PARTS.facetColumn, fieldChunk(FIELD))!).stringDocs.length).toBe(
    2 * DOCUMENTS,
  );
  const inputs = bytesOf(1) + bytesOf(2);
  expect(held.length).toBe(2);
  expect(held[0]).toBeGreaterThanOrEqual(inputs + bytesOf(3));
  expect(held[0]).toBeLessThanOrEqual(2.2 * inputs);
  expect(held[1]).toBe(0);
});

function rowsInMemory(): RowReader & Pick<RowSink, 'get' | 'put'> {
  const rows = new Map<string, Uint8Array>();
  const nameOf = (table: string, key: Uint8Array): string => `${table} ${Buffer.from(key).toString('hex')}`;
  return {
    get: (table, key) => rows.get(nameOf(table, key)),
    read: (table, key, use) => {
      const row = rows.get(nameOf(table, key));
      return row === undefined ? undefined : use(row);
    },
    put: (table, key, value) => void rows.set(nameOf(table, key), value.slice()),
  };
}
