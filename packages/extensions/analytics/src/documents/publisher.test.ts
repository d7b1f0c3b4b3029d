import { expect, it } from 'vitest';
import { Tally } from '../counts/tally.js';
import type { SearchRecord } from '../records/record.js';
import { makeReport } from '../reports/report.js';
import { readRows } from '../reports/rows.js';
import type { AnalyticsIndex, HourDocument, RowsQuery } from './port.js';
import { HourPublisher } from './publisher.js';

const START_MS = Date.parse('2030-01-31T12:00:00Z');
const HOUR_MS = 3_600_000;

/** An index in memory: filters are those that the package writes. */
class MemoryIndex implements AnalyticsIndex {
  readonly documents = new Map<string, HourDocument>();
  readonly outcomes = new Map<number, boolean | null>();
  removals: string[] = [];
  compactions = 0;
  size = 0;
  private taskCount = 0;

  async put(documents: readonly object[]): Promise<number> {
    for (const document of documents as readonly HourDocument[]) this.documents.set(document.id, document);
    this.taskCount += 1;
    this.outcomes.set(this.taskCount, true);
    return this.taskCount;
  }
  async remove(filter: string): Promise<void> {
    this.removals.push(filter);
    for (const [id, document] of this.documents) if (matches(document, filter)) this.documents.delete(id);
  }
  async compact(): Promise<void> {
    this.compactions += 1;
  }
  outcome(task: number): boolean | null {
    return this.outcomes.get(task)!;
  }
  bytes(): number {
    return this.size;
  }
  async rows({ filter, sort, limit }: RowsQuery): Promise<readonly HourDocument[]> {
    const found = [...this.documents.values()].filter((document) => matches(document, filter));
    if (sort?.[0] === 'hour:asc') found.sort((a, b) => a.hour - b.hour);
    return found.slice(0, limit);
  }
}
function matches(document: HourDocument, filter: string): boolean {
  return filter.split(' AND ').every((condition) => {
    const [, name, operator, value] = /^(\w+) (>=|<|!=|=) "?([^"]*)"?$/.exec(condition)!;
    const own = document[name as keyof HourDocument];
    if (operator === '=') return String(own) === value;
    if (operator === '!=') return String(own) !== value;
    return operator === '<' ? Number(own) < Number(value) : Number(own) >= Number(value);
  });
}

const search = (atMs: number, query = 'star wars'): SearchRecord => ({
  kind: 'search',
  atMs,
  indexUid: 'films',
  query,
  tookMs: 2,
  hitCount: query === 'nothing' ? 0 : 3,
  visitor: '',
  user: '',
  group: '',
  rules: [],
  queryUid: '',
});

function published(
  index: MemoryIndex,
  tally: Tally,
  given: { keptMs?: number; bytesMax?: number; node?: string } = {},
) {
  const stored: number[] = [];
  const faults: unknown[] = [];
  const { keptMs = 30 * 24 * HOUR_MS, bytesMax = 1e9, node = 'aaaa0001' } = given;
  const publisher = new HourPublisher(
    {
      index,
      hours: () => tally.hours(),
      onStored(hour) {
        stored.push(hour);
        tally.remove(hour);
      },
      node,
      keptMs,
      bytesMax,
      periodMs: 600_000,
      onFault: (error) => faults.push(error),
    },
    START_MS,
  );
  return { publisher, stored, faults };
}

it('the running hour is stored after each period, an hour that is over at once, and it is forgotten when its task succeeded', async () => {
  const [index, tally] = [new MemoryIndex(), new Tally()];
  const { publisher, stored } = published(index, tally);
  tally.add(search(START_MS));
  await publisher.tick(START_MS + 1_000);
  expect(index.documents.size).toBe(0);
  await publisher.tick(START_MS + 600_000);
  expect([...index.documents.values()].map(({ kind, searches }) => [kind, searches])).toEqual([
    ['index', 1],
    ['query', 1],
  ]);
  tally.add(search(START_MS + 600_001));
  await publisher.tick(START_MS + 700_000);
  const overMs = START_MS + HOUR_MS + 60_000;
  await publisher.tick(overMs);
  expect([...index.documents.values()].map(({ searches }) => searches)).toEqual([2, 2]);
  expect(stored).toEqual([]);
  await publisher.tick(overMs + 1_000);
  expect(stored).toEqual([START_MS / 1000]);
  expect(tally.hours()).toEqual([]);
});

it('an hour whose task failed is stored again after a period', async () => {
  const [index, tally] = [new MemoryIndex(), new Tally()];
  const { publisher, stored } = published(index, tally);
  tally.add(search(START_MS));
  const overMs = START_MS + HOUR_MS + 60_000;
  await publisher.tick(overMs);
  index.outcomes.set(1, false);
  index.documents.clear();
  await publisher.tick(overMs + 1_000);
  await publisher.tick(overMs + 700_000);
  await publisher.tick(overMs + 701_000);
  expect(index.documents.size).toBe(2);
  expect(stored).toEqual([START_MS / 1000]);
});

it('hours beyond their days are deleted, and the oldest when there is little space', async () => {
  const [index, tally] = [new MemoryIndex(), new Tally()];
  const { publisher } = published(index, tally, { keptMs: 10 * HOUR_MS });
  const publishAt = async (hour: number): Promise<void> => {
    tally.add(search(START_MS + hour * HOUR_MS));
    await publisher.tick(START_MS + (hour + 1) * HOUR_MS + 60_000);
    await publisher.tick(START_MS + (hour + 1) * HOUR_MS + 61_000);
  };
  for (let hour = 0; hour < 20; hour++) await publishAt(hour);
  const hours = [...new Set([...index.documents.values()].map(({ hour }) => hour))];
  expect(Math.min(...hours)).toBe(START_MS / 1000 + 10 * 3_600);
  index.size = 0.8e9;
  await publishAt(20);
  expect(index.compactions).toBeGreaterThan(0);
  const left = [...index.documents.values()].map(({ hour }) => hour);
  expect(Math.min(...left)).toBeGreaterThan(START_MS / 1000 + 11 * 3_600);
});

it('nothing is written that might exceed the bound', async () => {
  const [index, tally] = [new MemoryIndex(), new Tally()];
  const { publisher } = published(index, tally, { bytesMax: 1_000_000 });
  index.size = 999_000;
  tally.add(search(START_MS));
  await publisher.tick(START_MS + HOUR_MS + 60_000);
  expect([index.documents.size, publisher.refused]).toEqual([0, 1]);
});

it('a report sums what is stored and what is not, of all nodes, and counts nothing twice', async () => {
  const index = new MemoryIndex();
  const [here, there] = [new Tally(), new Tally()];
  const nodes = [published(index, here, { node: 'aaaa0001' }), published(index, there, { node: 'bbbb0002' })];
  for (let i = 0; i < 5; i++) here.add(search(START_MS + i));
  for (let i = 0; i < 3; i++) there.add(search(START_MS + i, i === 0 ? 'nothing' : 'star wars'));
  for (const { publisher } of nodes) await publisher.tick(START_MS + 600_000);
  here.add(search(START_MS + 700_000, 'heat'));
  const range = { from: START_MS / 1000, to: START_MS / 1000 + 3_600, limit: 10 };
  const { rows } = await readRows({ index, live: here.hours(), node: 'aaaa0001' }, { ...range, indexUid: null });
  const report = makeReport(rows, range);
  expect(report.totals).toMatchObject({ requests: 9, searches: 9, withoutHits: 1, clickThroughRate: 0 });
  expect(report.queries.map(({ query, searches }) => [query, searches])).toEqual([
    ['star wars', 7],
    ['nothing', 1],
    ['heat', 1],
  ]);
  expect(report.withoutHits.map(({ query }) => query)).toEqual(['nothing']);
  expect(report.times).toHaveLength(1);
  expect(report.otherSearches).toBe(0);
});
