import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AnalyticsRecord, SearchRecord } from './record.js';
import { hourOf, RecordLog } from './record-log.js';

let folder = '';
let faults: unknown[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-records-'));
  faults = [];
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

const START_MS = Date.parse('2030-01-31T12:00:00Z');
const open = (bytesMax = 1e9): RecordLog => new RecordLog({ folder, bytesMax, onFault: (error) => faults.push(error) });
const search = (query: string, atMs = START_MS): SearchRecord => ({
  kind: 'search',
  atMs,
  indexUid: 'films',
  query,
  tookMs: 1.25,
  hitCount: 3,
  visitor: 'v',
  user: 'u',
  group: 'g',
  rules: ['r'],
  queryUid: 'q',
});
async function earlier(log: RecordLog): Promise<AnalyticsRecord[]> {
  const records: AnalyticsRecord[] = [];
  for await (const frame of log.earlier()) records.push(...frame);
  return records;
}
async function written(...records: readonly AnalyticsRecord[]): Promise<void> {
  const log = open();
  for (const record of records) {
    log.add(record);
    // each record is a frame of its own
    await log.close();
  }
}

it('the next process reads what one wrote, hour by hour', async () => {
  const records = [
    search('star wars'),
    { ...search('ünïcode "quoted"\\', START_MS + 3_600_000), queryUid: 'a"b\\', group: '"', rules: ['r"', ''] },
    { kind: 'click', atMs: START_MS + 3_600_001, indexUid: 'films', queryUid: 'q', user: '', position: 2 } as const,
    {
      kind: 'conversion',
      atMs: START_MS + 7_200_000,
      indexUid: 'films',
      queryUid: '',
      user: 'u',
      position: -1,
    } as const,
  ];
  await written(...records);
  const next = open();
  expect(await earlier(next)).toEqual(records);
  expect(next.hours()).toEqual([0, 1, 2].map((hour) => hourOf(START_MS) + hour * 3_600));
  next.remove(hourOf(START_MS));
  expect(await earlier(open())).toEqual(records.slice(1));
});

it('records that come while the last write runs are kept, at the end of an hour too', async () => {
  const log = open();
  const records = [0, 0, 3_600_000, 3_600_000, 7_200_000].map((afterMs, i) => search(`query ${i}`, START_MS + afterMs));
  for (const record of records) {
    log.add(record);
    log.flush();
  }
  await log.close();
  const known = await earlier(open());
  expect(known).toEqual(records);
  // the counts of an hour that is stored are not in the files of a later one
  const next = open();
  next.remove(hourOf(START_MS));
  for (const { atMs } of await earlier(next)) expect(hourOf(atMs)).toBeGreaterThan(hourOf(START_MS));
});

it('a frame that a crash cut off, wrong bytes and foreign bytes at the end lose only what comes after them', async () => {
  await written(search('first'), search('second'));
  const [name] = readdirSync(folder);
  const file = join(folder, name!);
  const whole = readFileSync(file);
  for (let length = 0; length < whole.length; length += 7) {
    writeFileSync(file, whole);
    truncateSync(file, length);
    const texts = (await earlier(open())).map((record) => (record.kind === 'search' ? record.query : ''));
    expect(['first', 'second'].slice(0, texts.length)).toEqual(texts);
    expect(texts.length).toBe(length < whole.length / 2 ? 0 : 1);
  }
  for (let at = 0; at < whole.length; at += 5) {
    const wrong = Buffer.from(whole);
    wrong[at]! ^= 0x41;
    writeFileSync(file, wrong);
    expect((await earlier(open())).length).toBeLessThan(2);
  }
  writeFileSync(file, whole);
  appendFileSync(file, Buffer.alloc(100, 0xff));
  expect(await earlier(open())).toHaveLength(2);
});

it('the bound of bytes holds, and records beyond it are counted as dropped', async () => {
  const bytesMax = 10_000;
  const log = open(bytesMax);
  let taken = 0;
  for (let i = 0; i < 1_000; i++) {
    if (log.add(search(`query ${i}`))) taken += 1;
    if (i % 50 === 0) {
      log.flush();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  await log.close();
  expect(log.bytes).toBeLessThanOrEqual(bytesMax);
  expect(taken).toBeGreaterThan(20);
  expect(log.dropped).toBe(1_000 - taken);
  // a new process counts the files that are there
  const next = open(bytesMax);
  expect(next.bytes).toBe(readFileSync(join(folder, readdirSync(folder)[0]!)).length);
  expect(await earlier(next)).toHaveLength(taken);
});

it('a second of more records than memory is set aside for drops the rest', async () => {
  const log = open();
  let taken = 0;
  for (let i = 0; i < 50_000; i++) if (log.add(search('x'.repeat(100)))) taken += 1;
  await log.close();
  expect(taken).toBeLessThan(50_000);
  expect(log.dropped).toBe(50_000 - taken);
  expect(await earlier(open())).toHaveLength(taken);
});
