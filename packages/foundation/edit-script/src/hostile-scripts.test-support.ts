/** Scripts that ask for too much, and any others. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { compileEditFunction } from './index.js';

const document = { id: 1, title: 'Kefir', digits: '7'.repeat(1_000_000), tags: ['a', 'b'], deep: { a: { b: [1, 2] } } };
/** Grows a string `s` to some eight million characters. */
const LONG = 'let s = "ab"; for i in 0..22 { s += s; } ';

/** Runs a script; what it throws has to be an error of the table, and never one of the runtime's stack. */
export function outcomeOf(source: string, pulse?: () => void): string {
  try {
    compileEditFunction(source, { n: 5 }, pulse)(document);
    return 'done';
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    expect(code, `${source.slice(0, 300)}\n${message}`).toMatch(/^(bad_request|edit_documents_by_function_error)$/);
    expect(message.length).toBeLessThan(1_200);
    expect(message, source.slice(0, 300)).not.toContain('asks for more than it may have');
    return message;
  }
}

export const HOSTILE_SCRIPTS: readonly string[] = [
  'doc.digits.parse_int()',
  'doc.digits.parse_int(36)',
  'doc.digits.parse_float()',
  `loop { doc.digits.parse_int(); }`,
  'let s = "ab"; loop { s.pad(16000000, "xy"); s = "ab"; }',
  'let s = ""; s.pad(9000000000000, "x")',
  `${LONG} loop { s[5]; }`,
  `${LONG} loop { s[-5]; }`,
  `${LONG} loop { s += "x"; s[5]; }`,
  `${LONG} loop { s[5..9]; s.sub_string(-3, 2); }`,
  `${LONG} loop { s.len(); }`,
  `${LONG} loop { s.chars(); }`,
  `${LONG} loop { s.to_upper(); }`,
  `${LONG} loop { s.split("b"); }`,
  `${LONG} loop { s.replace("a", "b"); }`,
  `${LONG} loop { s.contains("b" + s); }`,
  `${LONG} let p = "b"; for i in 0..20 { p += p; } p = "x" + p; loop { s.index_of(p); }`,
  `${LONG} loop { s -= "c"; }`,
  `${LONG} let t = s + ""; loop { t == s; }`,
  `${LONG} let t = s + "c"; let u = s + "d"; loop { t < u; }`,
  `${LONG} let a = []; loop { a.push(s + a.len()); a.sort(); }`,
  `${LONG} let m = #{}; let i = 0; loop { m[s + i] = 1; i += 1; }`,
  `${LONG} let a = []; for i in 0..9999 { a.push(s); } doc.a = a;`,
  `${LONG} let a = []; for i in 0..9999 { a.push(s); } doc.a = a.to_string();`,
  `${LONG} let a = []; for i in 0..9999 { a.push(s); } doc.a = #{a: a}.to_json();`,
  `${LONG} throw s`,
  `${LONG} loop { try { throw s + s } catch { } }`,
  'let a = []; loop { a = [a]; }',
  'let a = [0]; loop { a[0] = a; }',
  'let a = #{}; loop { a = #{a: a}; }',
  'let a = []; loop { a.push(a); }',
  'let a = range(0, 9000); loop { a.contains(-1); }',
  'let a = range(0, 9000); loop { a.index_of(-1); a.dedup(); a.sort(); }',
  'let a = range(0, 9000); let b = a; loop { a == b; }',
  'let m = #{}; for i in 0..9000 { m["k" + i] = i; } loop { m.keys(); m.values(); }',
  'loop { try { loop { } } catch { } }',
  'fn f() { try { f() } catch { f() } } f()',
  'fn f(x) { [[[[[[f(x + 1)]]]]]] } f(0)',
  'fn f(x) { if true { if true { if true { 1 + (2 * (3 - f(x + 1))) } } } } f(0)',
  `fn f(x) { f(x + 1)${'.a'.repeat(390)} } f(0)`,
  `fn f(x) { [1].map(|y| f(x + 1)) } f(0)`,
  'let f = |x| x; f = |g| g.call(g); f.call(f)',
  '9'.repeat(900_000),
  `0x${'f'.repeat(900_000)}`,
];

/** Texts that nest something this often, by what it is. */
export const NESTED_SCRIPTS: readonly (readonly [string, (count: number) => string])[] = [
  ['parentheses', (count) => '('.repeat(count) + ')'.repeat(count)],
  ['arrays', (count) => '['.repeat(count) + ']'.repeat(count)],
  ['maps', (count) => '#{a:'.repeat(count) + '}'.repeat(count)],
  ['blocks', (count) => '{'.repeat(count) + '}'.repeat(count)],
  ['conditions', (count) => 'if true {'.repeat(count) + '}'.repeat(count)],
  ['else if', (count) => `if false {} ${'else if false {}'.repeat(count)}`],
  ['functions', (count) => 'fn f() {'.repeat(count) + '}'.repeat(count)],
  ['closures', (count) => `let f = ${'|x| '.repeat(count)} 1`],
  ['templates', (count) => '`${'.repeat(count) + '}`'.repeat(count)],
  ['assignments', (count) => `let a = 1; ${'a = '.repeat(count)} 1`],
  ['negations', (count) => `${'-'.repeat(count)}1`],
  ['powers', (count) => `1${' ** 1'.repeat(count)}`],
  ['sums', (count) => `1${' + 1'.repeat(count)}`],
  ['conjunctions', (count) => `true${' && true'.repeat(count)}`],
  ['properties', (count) => `doc${'.a'.repeat(count)}`],
  ['optional properties', (count) => `doc${'?.a'.repeat(count)}`],
  ['items', (count) => `doc${'["a"]'.repeat(count)}`],
  ['calls', (count) => `doc${'.to_string()'.repeat(count)}`],
  ['alternatives', (count) => `switch 1 { 1${' | 1'.repeat(count)} => 1 }`],
  ['switches', (count) => `${'switch 1 { 1 => '.repeat(count)}1${'}'.repeat(count)}`],
  ['comments', (count) => '/*'.repeat(count) + '*/'.repeat(count)],
  ['attempts', (count) => 'try {'.repeat(count) + '} catch {}'.repeat(count)],
];

const name = fc.constantFrom('a', 'b', 's', 'doc', 'this', 'context');
const literal = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.constantFrom(
    '9223372036854775807',
    '1.5',
    '1e300',
    '""',
    '"é😀"',
    '()',
    'true',
    '0..5',
    '-3..',
    '[]',
    '#{}',
    "'x'",
  ),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
);
const method = fc.constantFrom(
  ...[
    'len',
    'push',
    'pop',
    'pad',
    'split',
    'replace',
    'sub_string',
    'crop',
    'index_of',
    'chars',
    'to_upper',
    'map',
    'filter',
  ],
  ...[
    'sort',
    'reduce',
    'dedup',
    'insert',
    'remove',
    'keys',
    'values',
    'mixin',
    'to_json',
    'to_string',
    'parse_int',
    'call',
  ],
  ...[
    'extract',
    'truncate',
    'drain',
    'retain',
    'contains',
    'append',
    'to_debug',
    'type_of',
    'trim',
    'bytes',
    'set',
    'get',
  ],
);
const operator = fc.constantFrom(...'+ - * / % ** << >> & | ^ == != < >= && || ?? in .. ='.split(' '));
const { script } = fc.letrec<{ expression: string; statement: string; script: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literal,
    name,
    fc.tuple(tie('expression'), operator, tie('expression')).map(([left, sign, right]) => `(${left} ${sign} ${right})`),
    fc
      .tuple(tie('expression'), method, fc.array(tie('expression'), { maxLength: 3 }))
      .map(([target, called, args]) => `${target}.${called}(${args.join(', ')})`),
    fc.tuple(tie('expression'), tie('expression')).map(([target, key]) => `${target}[${key}]`),
    fc.array(tie('expression'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
    fc.tuple(name, tie('expression')).map(([key, value]) => `#{${key}: ${value}}`),
    fc.tuple(name, tie('expression')).map(([param, body]) => `|${param}| ${body}`),
    tie('expression').map((inner) => `\`x\${${inner}}y\``),
    tie('expression').map((inner) => `-${inner}`),
    tie('expression').map((inner) => `f(${inner})`),
  ),
  statement: fc.oneof(
    { depthSize: 'small' },
    tie('expression'),
    fc.tuple(name, tie('expression')).map(([to, value]) => `let ${to} = ${value}`),
    fc.tuple(name, operator, tie('expression')).map(([to, sign, value]) => `${to} ${sign}= ${value}`),
    fc.tuple(tie('expression'), tie('script')).map(([test, body]) => `if ${test} { ${body} } else { ${body} }`),
    fc.tuple(name, tie('expression'), tie('script')).map(([each, over, body]) => `for ${each} in ${over} { ${body} }`),
    tie('script').map((body) => `loop { ${body} }`),
    tie('script').map((body) => `try { ${body} } catch (e) { ${body} }`),
    tie('script').map((body) => `fn f(x) { ${body} }`),
    fc.constantFrom('break', 'continue', 'return', 'throw a'),
  ),
  script: fc.array(tie('statement'), { maxLength: 5 }).map((statements) => statements.join('; ')),
}));

/** Any script of the grammar, after one that defines its names. */
export const anyScript: fc.Arbitrary<string> = script.map(
  (source) => `let a = [1, "b"]; let b = "text"; let s = "ab"; for i in 0..9 { s += s; } ${source}`,
);
/** Any text of the characters that the grammar knows. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'( ) [ ] { } #{ ` ${ " \' . , ; = | || ?. ?? .. fn let if else switch => /* // 1 a doc'.split(' '),
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(' '));
