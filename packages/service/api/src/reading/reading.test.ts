import {
  count,
  flag,
  inQuery,
  optional,
  optionalNotNull,
  parsers,
  queryInteger,
  queryListOrStar,
  readFields,
  readQuery,
  type Where,
} from '@fossick/base/contract';
import { expect, test } from 'vitest';
import { filterDate, parseFutureDate } from './dates.js';
import { readUuid } from './uuid.js';

const { integer } = parsers;

const where: Where = { code: 'invalid_task_uids', path: 'x' };
const refused = expect.objectContaining({ code: where.code });

test('a star lifts the restriction of a list', () => {
  const list = queryListOrStar(queryInteger);
  expect(list('1,2', where)).toEqual([1, 2]);
  expect(list('*', where)).toBeNull();
  expect(list('1,*', where)).toBeNull();
  expect(() => list('1, 2', where)).toThrow(refused);
});

test('dates of task filters are exact to the microsecond', () => {
  const second = Date.UTC(2026, 10, 22, 8, 48, 5) * 1000;
  for (let micros = 0; micros < 1_000_000; micros += 7) {
    const fraction = String(micros).padStart(6, '0').replace(/0+$/, '');
    const text = `2026-11-22T08:48:05${fraction === '' ? '' : `.${fraction}`}Z`;
    const read = filterDate('after')(text, where);
    if (read !== second + micros) expect([text, read]).toEqual([text, second + micros]);
  }
});

test.each([
  ['', 'x[0]'],
  [',', 'x[0]'],
  ['1,', 'x[1]'],
  ['1,,2', 'x[1]'],
  ['*,', 'x[1]'],
  [' ', 'x[0]'],
])('an empty element of the list %j is an error that names it', (text, place) => {
  const list = queryListOrStar(queryInteger);
  expect(() => list(text, where)).toThrow(refused);
  expect(() => list(text, where)).toThrow(place);
});

test('integers of a query reach to the largest unsigned 64-bit one', () => {
  expect(queryInteger('18446744073709551615', where)).toBe(2 ** 64);
  expect(() => queryInteger('18446744073709551616', where)).toThrow(refused);
  expect(() => integer(1e300, where)).toThrow(refused);
});

test('there is no hour 24', () => {
  expect(() => filterDate('after')('2020-01-01T24:00:00Z', where)).toThrow(refused);
  expect(filterDate('after')('2020-01-01T23:00:00Z', where)).toBe(Date.UTC(2020, 0, 1, 23) * 1000);
});

test('the end of a key keeps the zone it was given in', () => {
  expect(parseFutureDate('2950-01-01T00:00:00+05:00', where)).toBe('2950-01-01T00:00:00+05:00');
  expect(parseFutureDate('2950-01-01 00:00:00', where)).toBe('2950-01-01T00:00:00Z');
});

test('the end of a key keeps its precision', () => {
  expect(parseFutureDate('2950-06-04T21:08:12.000032Z', where)).toBe('2950-06-04T21:08:12.000032Z');
  expect(parseFutureDate('2950-06-04 21:08:12.000000032+00:00', where)).toBe('2950-06-04T21:08:12.000000032Z');
  expect(parseFutureDate('2950-06-04T21:08:12.120+02:00', where)).toBe('2950-06-04T21:08:12.120+02:00');
  expect(parseFutureDate('2950-06-04T21:08:12.000z', where)).toBe('2950-06-04T21:08:12Z');
});

test('a UUID is read in each of its spellings', () => {
  const uid = '01b4bc42-eb33-4041-b481-254d00cce834';
  for (const text of [uid, uid.toUpperCase(), uid.replaceAll('-', ''), `{${uid}}`, `urn:uuid:${uid}`])
    expect(readUuid(text)).toBe(uid);
  for (const text of ['', `{${uid}`, `${uid}0`, uid.replace('-', '')]) expect(readUuid(text)).toBeUndefined();
});

test('null resets a member unless the member refuses it', () => {
  expect(readFields({ a: null }, { a: optional(where.code, flag('')) })).toEqual({ a: null });
  expect(() => readFields({ a: null }, { a: optionalNotNull(where.code, flag('')) })).toThrow(refused);
  expect(readFields({}, { a: optionalNotNull(where.code, flag('')) })).toEqual({});
  expect(readQuery('limit=1&limit=2', inQuery({ limit: optional(where.code, count('')) }))).toEqual({ limit: 2 });
});
