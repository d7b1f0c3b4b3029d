import { floatOf, toJsonText } from '@fossick/documents';
import { describe, expect, it } from 'vitest';

import { checkEditFunction, compileEditFunction } from './index.js';

const kefir = {
  id: 1,
  title: 'Kefir The Dog',
  year: 2001,
  price: 1.5,
  tags: ['a', 'b'],
  meta: { k: 'v' },
  nothing: null,
};
const context = { n: 5, names: ['x'] };
const edit = (source: string, document: Record<string, unknown> = kefir, given: object = context) =>
  compileEditFunction(source, given)(document);
/** The fields that the script added or changed. */
const changed = (source: string) =>
  Object.fromEntries(
    Object.entries(edit(source)!).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify((kefir as Record<string, unknown>)[name]),
    ),
  );

describe('edit functions', () => {
  it('leaves floats floats', () => {
    const document = { id: 1, n: floatOf(4), m: 4 };
    expect(toJsonText(edit('doc.x = doc.n / 2.0; doc.y = doc.m / 2', document))).toBe(
      '{"id":1,"n":4.0,"m":4,"x":2.0,"y":2}',
    );
  });

  it.each<[string, object]>([
    ['doc.title = `${doc.title} (${doc.year})`', { title: 'Kefir The Dog (2001)' }],
    ['doc.title.make_upper()', { title: 'KEFIR THE DOG' }],
    ['doc.title = doc.title.to_lower(); doc.title.replace("dog", "cat")', { title: 'kefir the cat' }],
    [
      'doc.x = doc.year / 2; doc.y = doc.year % 7; doc.z = 2 ** 10; doc.w = 7.0 / 2',
      { x: 1000, y: 6, z: 1024, w: 3.5 },
    ],
    [
      'doc.x = 1 + 2 * 3 - -4; doc.y = 5 & 3 | 8 ^ 1; doc.z = 2 ** 3 ** 0; doc.w = 1 << 4 >> 1',
      { x: 11, y: 8, z: 2, w: 8 },
    ],
    ['doc.x = doc.missing; doc.y = doc.missing == ()', { x: null, y: true }],
    ['doc.x = doc?.missing?.deep ?? "none"', { x: 'none' }],
    ['let a = 1; while a < 100 { a *= 2; } doc.x = a', { x: 128 }],
    ['let a = 0; loop { a += 1; if a == 3 { continue; } if a > 5 { break; } } doc.x = a', { x: 6 }],
    ['let a = 0; do { a += 1; } until a >= 3; doc.x = a', { x: 3 }],
    ['let s = ""; for (v, i) in doc.tags { s += `${i}${v}`; } doc.x = s', { x: '0a1b' }],
    ['let s = 0; for i in 0..=3 { s += i; } for i in range(0, 10, 3) { s += i; } doc.x = s', { x: 24 }],
    ['if doc.year > 2000 && doc.title.contains("Dog") { doc.x = "new" } else { doc.x = "old" }', { x: 'new' }],
    ['doc.x = if false { 1 } else if true { 2 } else { 3 }', { x: 2 }],
    ['doc.x = switch doc.year { 1..5 => "a", 7 | 2001 if true => "b", _ => "c" }', { x: 'b' }],
    ['fn twice(x) { x * 2 } fn up() { this += 1; } doc.x = twice(4); doc.year.up()', { x: 8, year: 2002 }],
    ['let by = 3; let f = |x| x + by; doc.x = f.call(1); doc.y = doc.tags.map(|t| t + "!")', { x: 4, y: ['a!', 'b!'] }],
    ['doc.x = [3, 1, 2]; doc.x.sort(); doc.y = doc.x.reduce(|s, v| s + v, 0)', { x: [1, 2, 3], y: 6 }],
    ['doc.tags.push("c"); doc.tags += ["d"]; doc.x = "a" in doc.tags', { tags: ['a', 'b', 'c', 'd'], x: true }],
    ['doc.meta.n = #{a: 1, "b c": [1, 2.5]}; doc.meta["k"] = "z"', { meta: { k: 'z', n: { a: 1, 'b c': [1, 2.5] } } }],
    ['let copy = doc.tags; copy.push("c"); doc.x = copy.len()', { x: 3 }],
    ['doc.x = doc.title[0]; doc.y = doc.title[0..3]; doc.z = doc.tags[-1]', { x: 'K', y: 'Kef', z: 'b' }],
    [
      'doc.x = doc.title.split(" "); doc.y = doc.title.sub_string(6, 3); doc.z = "é".len()',
      { x: ['Kefir', 'The', 'Dog'], y: 'The', z: 1 },
    ],
    ['doc.x = "5".parse_int() + 1; doc.y = 5.7.to_int(); doc.z = 5.to_string() + 1.0', { x: 6, y: 5, z: '51.0' }],
    ['doc.x = context.n + 1; doc.y = context.names', { x: 6, y: ['x'] }],
    ['try { throw "no" } catch (e) { doc.x = e }', { x: 'no' }],
    ['let x = 5; { let x = 6; } doc.x = x // the inner one is gone\n /* nor /* this */ */', { x: 5 }],
    ['doc.x = type_of(doc.year) + type_of(doc.nothing) + type_of(doc.tags)', { x: 'i64()array' }],
    ['doc.x = 1; return; doc.x = 2', { x: 1 }],
  ])('%s', (source, expected) => {
    expect(changed(source)).toEqual(expected);
  });

  it('delete by making the document nothing, and drop fields', () => {
    expect(edit('doc = ()')).toBeNull();
    expect(edit('doc.remove("title"); doc.remove("never")')).not.toHaveProperty('title');
  });

  it('keep the order of fields and every digit of wide integers', () => {
    const wide = { id: 2n ** 62n, b: 1, a: 2 };
    expect(JSON.stringify(Object.keys(edit('doc.z = 1; doc.c = 2', wide)!))).toBe('["id","b","a","c","z"]');
    expect(edit('doc.id += 1', wide)!.id).toBe(2n ** 62n + 1n);
  });

  it('keep and compare integers from 2^63 to 2^64 with every digit', () => {
    const wide = { id: 2n ** 63n + 1n, list: [2n ** 64n - 1n, { n: 2n ** 64n - 2n }] };
    expect(edit('doc.x = 1', wide)).toEqual({ ...wide, x: 1 });
    expect(edit('doc.x = [doc.id, `${doc.id}`, context.n]', wide, { n: 2n ** 64n - 3n })!['x']).toEqual([
      2n ** 63n + 1n,
      '9223372036854775809',
      2n ** 64n - 3n,
    ]);
    const yes = [
      'doc.id == 9223372036854775809',
      'doc.id != 9223372036854775808',
      'doc.id > 9223372036854775807',
      'doc.list[0] > doc.list[1].n',
      '18446744073709551615 in doc.list',
      '!(18446744073709551613 in doc.list)',
      'context.n < doc.list[1].n',
      'max(doc.id, doc.list[0]) == doc.list[0]',
    ];
    for (const condition of yes)
      expect([condition, edit(`doc = #{x: ${condition}}`, wide, { n: 2n ** 64n - 3n })]).toEqual([
        condition,
        { x: true },
      ]);
    // they are calculated with as floats
    expect(Number(edit('doc.x = doc.id * 2', wide)!['x'])).toBe(2 ** 64);
    expect(Number(edit('doc.x = -doc.id', wide)!['x'])).toBe(-(2 ** 63));
  });

  it.each([
    'doc = 5',
    'doc.x = unknown',
    'doc.x = unknown(1)',
    'doc.x = 1 / 0',
    'doc.x = 9223372036854775807 + 1',
    'if 1 { }',
    'throw "bad"',
    'context.n = 6',
    'context.names.push(1)',
    'const A = 1; A = 2',
    'loop { }',
    'let a = [0]; loop { a += a; }',
    'let s = "ab"; loop { s += s; }',
    'fn f(x) { f(x + 1) } f(0)',
    'doc.x = |a| a',
    'doc.tags[5] = 1',
    'doc.constructor.constructor("return process")',
    'break',
  ])('fail on a document: %s', (source) => {
    expect(() => edit(source)).toThrow(expect.objectContaining({ code: 'edit_documents_by_function_error' }));
  });

  it.each([
    'doc.x = 1 +',
    'let = 1',
    'import "a" as b;',
    'doc.x = "open',
    '/* open',
    'if true { ',
    'a b',
    '`${1`',
    `${'('.repeat(200)}1`,
  ])('are refused before they run: %s', (source) => {
    expect(() => checkEditFunction(source)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });

  it('never reach prototypes', () => {
    const edited = edit('doc["__proto__"] = #{polluted: true}');
    expect(Object.keys(edited!)).toContain('__proto__');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
