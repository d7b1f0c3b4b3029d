import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { csvObjects } from './csv-rows.js';

test('a number is an integer or a float, as its cell says', async () => {
  const csv = 'a:number,b:number,c:number,d:number,e:number\n1.0,1e3,007,12345678901234567890,-0\n';
  const rows: string[] = [];
  for await (const { text: row } of csvObjects(Readable.from([Buffer.from(csv)]), ',')) rows.push(row);
  expect(rows).toEqual(['{"a":1.0,"b":1000.0,"c":7,"d":12345678901234567890,"e":0}']);
});

test('a float that JSON does not know is null, in every spelling', async () => {
  const cells = ['NaN', 'nan', '-NaN', 'inf', '-Infinity', '+INF', '1e999', '-1e999'];
  const rows: string[] = [];
  for await (const { text: row } of csvObjects(Readable.from([Buffer.from(`a:number\n${cells.join('\n')}\n`)]), ','))
    rows.push(row);
  expect(rows).toEqual(cells.map(() => '{"a":null}'));
  const text = async () => {
    for await (const { text: row } of csvObjects(Readable.from([Buffer.from('a:number\nnanna\n')]), ','))
      rows.push(row);
  };
  await expect(text()).rejects.toThrow('`nanna` is not a number');
});

test.each([
  ['id;Preis\n7;1,50\n', '`;`, which `csvDelimiter`'],
  ['id\tPreis\n7\t1,50\n', '`\\t`, which `csvDelimiter`'],
  [`id;Preis\n${'7;1,50\n'.repeat(5_000)}`, '`;`, which `csvDelimiter`'],
  ['\ufeffid;Preis\n7;1,50\n', '`;`, which `csvDelimiter`'],
  ['\n\nid|Preis\n7|1,50,2\n', '`|`, which `csvDelimiter`'],
  [`id;Preis\n${'7;1\n'.repeat(5_000)}7;1,50\n`, '`;`, which `csvDelimiter`'],
  ['id;Preis\n7,1,50\n', '`;`, which `csvDelimiter`'],
  ['id\n7,1\n', undefined],
  ['id\n7;1,5\n', undefined],
  ['id,a,b;c\n7;1,2\n', undefined],
  ['id;a\n"7\n', undefined],
  ['id,a;b\n7\n', undefined],
])('a file of a spreadsheet that is read with commas names its delimiter: %#', async (csv, told) => {
  const read = async (): Promise<void> => {
    for await (const _row of csvObjects(Readable.from([Buffer.from(csv)]), ','));
  };
  const error = await read().catch((fault: Error) => fault);
  expect(error).toMatchObject({ code: 'malformed_payload' });
  if (told === undefined) expect((error as Error).message).not.toContain('csvDelimiter');
  else expect((error as Error).message).toContain(told);
});

test('bytes that are no UTF-8 are malformed, a character cut between two chunks is whole', async () => {
  const read = async (...chunks: Buffer[]) => {
    const rows: string[] = [];
    for await (const { text: row } of csvObjects(Readable.from(chunks), ',')) rows.push(row);
    return rows;
  };
  const malformed = expect.objectContaining({ code: 'malformed_payload' });
  await expect(read(Buffer.from('id,a\n1,\xff\n', 'latin1'))).rejects.toEqual(malformed);
  await expect(read(Buffer.from('id,a\n1,\xc3', 'latin1'))).rejects.toEqual(malformed);
  expect(await read(Buffer.from('id,a\n1,\xc3', 'latin1'), Buffer.from([0xa9]))).toEqual(['{"id":"1","a":"é"}']);
});

test('yields within a row, however large the pieces of the body are', async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const body = Readable.from([Buffer.from(`id,a\n1,${'a'.repeat(1_000_000)}\n`)]);
  const rows: string[] = [];
  for await (const { text: row } of csvObjects(body, ',')) rows.push(row);
  isDone = true;
  expect(rows).toEqual([`{"id":"1","a":"${'a'.repeat(1_000_000)}"}`]);
  expect(turns).toBeGreaterThan(50);
});

test('a row of more cells than an index has fields is refused before it is read to its end', async () => {
  let sentBytes = 0;
  const endless = function* (before: string) {
    yield Buffer.from(before);
    for (let piece = 0; piece < 1_000; piece++) {
      sentBytes += 65_536;
      yield Buffer.alloc(65_536, ',');
    }
  };
  const read = async (chunks: Iterable<Buffer>) => {
    const rows: string[] = [];
    for await (const { text: row } of csvObjects(Readable.from(chunks), ',')) rows.push(row);
    return rows;
  };
  for (const before of ['', 'id,a\n1,2\n', '"a,""b",']) {
    sentBytes = 0;
    await expect(read(endless(before))).rejects.toMatchObject({
      code: 'malformed_payload',
      message: expect.stringContaining('more than 65535 cells'),
    });
    expect(sentBytes).toBeLessThan(2 << 20);
  }
  const quoted = `"${','.repeat(70_000)}"`;
  expect(await read([Buffer.from(`id,a\n1,${quoted}\n`)])).toEqual([`{"id":"1","a":${quoted}}`]);
  const names = Array.from({ length: 65_535 }, (_, at) => `f${at}`).join(',');
  expect(await read([Buffer.from(`${names}\n${names}\n`)])).toHaveLength(1);
});
