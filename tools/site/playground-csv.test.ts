import { expect, it } from 'vitest';
import { delimiterOf as delimiterInDashboard } from '../../apps/dashboard/src/parts/send-file.js';
// @ts-expect-error: the example is plain JavaScript
import { delimiterOf, documentsOfCsv } from '../../examples/playground/csv.js';

it('CSV has names, types, quotes, and lines within values', () => {
  const text =
    '\uFEFFid,"full, name",price:number,new:boolean\r\n1,"Anne ""A""\nB, C",2.50,true\r\n\n2,plain,,false\n3,,0,\n';
  expect(documentsOfCsv(text)).toEqual([
    { id: '1', 'full, name': 'Anne "A"\nB, C', price: 2.5, new: true },
    { id: '2', 'full, name': 'plain', price: null, new: false },
    { id: '3', 'full, name': '', price: 0, new: null },
  ]);
  expect(documentsOfCsv('a,b\n1,')).toEqual([{ a: '1', b: '' }]);
  expect(documentsOfCsv('a\n""\nx')).toEqual([{ a: '' }, { a: 'x' }]);
  expect([documentsOfCsv(''), documentsOfCsv('a,b\n')]).toEqual([[], []]);
  expect(documentsOfCsv('time:12:number\n7')).toEqual([{ 'time:12': 7 }]);
});

it.each([';', '\t', '|'])('CSV of spreadsheets has %j between its values', (sign) => {
  const text = ['id', '"Titel, ganz"', 'Preis:number\r\n7', `"Käse${sign}Brötchen"`, '2\r\n8', 'Öl, kalt', ''].join(
    sign,
  );
  expect(documentsOfCsv(text)).toEqual([
    { id: '7', 'Titel, ganz': `Käse${sign}Brötchen`, Preis: 2 },
    { id: '8', 'Titel, ganz': 'Öl, kalt', Preis: null },
  ]);
});

it.each([
  'id,title\n1;a;b',
  'id\n',
  'id;"a, b, c"\r\n7;1,5',
  'id;price, net;size\n',
  'id\ttitle\n',
  '"a;b;c","d"\n',
  'id|title',
  '',
])('the playground finds the delimiter that the dashboard finds: %j', (text) => {
  expect(delimiterOf(text)).toBe(delimiterInDashboard(text));
});

it('CSV that is none says where', () => {
  expect(() => documentsOfCsv('a,b\n1,2\n3')).toThrow('Row 2 has 1 values for 2 names.');
  expect(() => documentsOfCsv('a\nx"y"')).toThrow(/quote/);
  expect(() => documentsOfCsv('a\n"x')).toThrow(/quote/);
  expect(() => documentsOfCsv('a:number\nmany')).toThrow('`many` is no number.');
});
