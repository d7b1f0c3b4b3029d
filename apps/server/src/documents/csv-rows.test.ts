import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { csvObjects } from './csv-rows.js';

test('a number is an integer or a float, as its cell says', async () => {
  const csv = 'a:number,b:number,c:number,d:number,e:number\n1.0,1e3,007,12345678901234567890,-0\n';
  const rows: string[] = [];
  for await (const row of csvObjects(Readable.from([Buffer.from(csv)]), ',')) rows.push(row);
  expect(rows).toEqual(['{"a":1.0,"b":1000.0,"c":7,"d":1.2345678901234567e+19,"e":0}']);
});
