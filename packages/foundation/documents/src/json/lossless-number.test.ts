import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeDocument, encodeDocument } from '../document-codec.js';
import { documentText, fieldTexts } from '../document-text.js';
import { FieldNames } from '../fields/field-names.js';
import { floatOf, floatText, JsonText, LosslessFloat, toJsonText } from './lossless-number.js';
import { parseDocument } from './parse-document.js';

/** The text of a document's number after it was parsed, stored, read and formatted. */
function shown(number: string): string {
  const fields = new FieldNames([]);
  const bytes = encodeDocument(parseDocument(`{"n":${number}}`), fields);
  return toJsonText(decodeDocument(bytes, fields.list)).slice('{"n":'.length, -1);
}

it('nested names and depth: documents are read back as stored, too deep ones are rejected from any source', () => {
  const names = '"toJSON":{},"constructor":null,"valueOf":1.0';
  const line = `{"__proto__":{"__proto__":{"a":[{"__proto__":1.0}]},"constructor":2},"__proto_":3,"x":{${names}},${names}}`;
  const fields = new FieldNames([]);
  const document = parseDocument(line);
  fields.addDocument(document);
  const bytes = encodeDocument(document, fields);
  expect(toJsonText(decodeDocument(bytes, fields.list))).toBe(line);
  expect(documentText(bytes, fieldTexts(fields.list))?.toString()).toBe(line);
  const nested = (levels: number) => `{"id":${'['.repeat(levels - 1)}1.0${']'.repeat(levels - 1)}}`;
  fields.addDocument(parseDocument(nested(127)));
  expect(() => parseDocument(nested(128))).toThrow(SyntaxError);
  const tooDeep = expect.objectContaining({ code: 'malformed_payload' });
  for (const levels of [128, 5000]) {
    const list = `{"id":${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}}`;
    expect(() => new FieldNames([]).addDocument(parseDocument(list))).toThrow(tooDeep);
    const object = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(() => new FieldNames([]).addDocument(parseDocument(object))).toThrow(tooDeep);
  }
});

describe('numbers of documents', () => {
  it.each([
    ['1', '1'],
    ['1.0', '1.0'],
    ['1.50', '1.5'],
    ['1e3', '1000.0'],
    ['1E+2', '100.0'],
    ['123e-2', '1.23'],
    ['-0', '-0.0'],
    ['-0.0', '-0.0'],
    ['0e0', '0.0'],
    ['0.1e-7', '1e-8'],
    ['0.000001', '1e-6'],
    ['0.0000012', '1.2e-6'],
    ['0.00001', '0.00001'],
    ['0.000012345', '0.000012345'],
    ['1234567890123456.0', '1234567890123456.0'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1e+16'],
    ['1e21', '1e+21'],
    ['1.5e16', '1.5e+16'],
    ['5e-324', '5e-324'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['9007199254740993', '9007199254740993'],
    ['12345678901234567890', '12345678901234567890'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['18446744073709551616', '1.8446744073709552e+19'],
    ['-9223372036854775809', '-9.223372036854776e+18'],
  ])('%s is shown as %s', (written, expected) => {
    expect(shown(written)).toBe(expected);
  });

  it('any float keeps its value and its kind', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = shown(floatText(value));
        expect(text).toBe(floatText(value));
        expect(Object.is(Number(text), value)).toBe(true);
        expect(text).toMatch(/[.e]/);
      }),
    );
  });

  it('is read at any position, and text that looks like one stays text', () => {
    const line = '{"a":[1.0,{"b":2.0}],"c":"[1.0, 3e5]\\"\\\\","d":"é\\u00e9","e\\n":7,"f":1e2}';
    expect(toJsonText(parseDocument(line))).toBe(
      '{"a":[1.0,{"b":2.0}],"c":"[1.0, 3e5]\\"\\\\","d":"éé","e\\n":7,"f":100.0}',
    );
  });

  it.each([
    '{"a":1.0,"b":01}',
    '{"a":1.0',
    '{"a":1.0,"b":nul}',
    '{"a":1.0}x',
    '{"a":1.0 "b":1}',
    '{"a":1.0,"b":"c}',
    '[1.0]',
  ])('refuses %s, as JSON.parse would', (line) => {
    expect(() => parseDocument(line)).toThrow(SyntaxError);
  });

  it('is refused beyond the range of a float', () => {
    expect(() => parseDocument('{"a":[-1e400]}')).toThrow('`-1e400` is out of range');
    expect(() => parseDocument(`{"a":${'9'.repeat(310)}}`)).toThrow(SyntaxError);
    expect(parseDocument('{"a":"1e400"}')).toEqual({ a: '1e400' });
  });

  it('is a plain number where JavaScript spells it alike', () => {
    expect(parseDocument('{"a":1.5,"b":1e21,"c":3}')).toStrictEqual({ a: 1.5, b: 1e21, c: 3 });
    expect(floatOf(2.5)).toBe(2.5);
    expect(floatOf(2)).toBeInstanceOf(LosslessFloat);
    expect(Number(floatOf(2)) + 1).toBe(3);
  });

  it('shows wide integers and spelled floats side by side', () => {
    expect(toJsonText({ a: 2n ** 63n, b: [floatOf(1)] })).toBe('{"a":9223372036854775808,"b":[1.0]}');
  });

  it('mistakes no text of a document for another value', () => {
    const spelt = fc.constantFrom('1.0', '-0.0', '1e+30', '9007199254740993', '-12');
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uuid(),
      fc.uuid().map((id) => `${id}%7B%22a%22%3A1%7D`),
    );
    const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        spelt,
        text.map((one) => JSON.stringify(one)),
        fc.constantFrom('null', 'true', 'false', '0.5'),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('value')).map((items) => `[${items.join(',')}]`),
      object: fc
        .uniqueArray(fc.tuple(text, tie('value')), { selector: ([name]) => name, maxLength: 5 })
        // objects move such names to the front
        .map((members) => members.filter(([name]) => !/^\d+$/.test(name)))
        .map((members) => `{${members.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(',')}}`),
    }));
    fc.assert(
      fc.property(value, (json) => {
        expect(toJsonText(parseDocument(`{"a":1.0,"b":${json}}`))).toBe(`{"a":1.0,"b":${json}}`);
      }),
    );
  });

  it('leaves plain numbers to every other writer, and undefined out, as JSON.stringify does', () => {
    const value = {
      a: floatOf(1),
      b: undefined,
      c: [undefined, floatOf(2)],
      d: Number.NaN,
      e: new JsonText('{"2":1,"1":2}'),
    };
    expect(JSON.stringify(value)).toBe('{"a":1,"c":[null,2],"d":null,"e":{"1":2,"2":1}}');
    expect(toJsonText(value)).toBe('{"a":1.0,"c":[null,2.0],"d":null,"e":{"2":1,"1":2}}');
    expect(toJsonText(undefined)).toBeUndefined();
  });
});
