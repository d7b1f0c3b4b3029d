import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeDocument, encodeDocument } from './document-codec.js';
import { documentText, fieldTexts } from './document-text.js';
import { FieldNames } from './fields/field-names.js';
import { inFieldOrder } from './fields/field-order.js';
import { toJsonText } from './json/lossless-number.js';
import { parseDocument } from './json/parse-document.js';

/** The text made from the bytes, and the one made from an object. `known`: field names that the index had before. */
function texts(json: string, known: readonly string[] = []): readonly [text: string | undefined, byObject: string] {
  const fields = new FieldNames([...known]);
  const bytes = encodeDocument(parseDocument(json), fields);
  const order = new Map(fields.list.map((name, id) => [name, id]));
  const byObject = toJsonText(inFieldOrder(decodeDocument(bytes, fields.list), order));
  return [documentText(bytes, fieldTexts(fields.list))?.toString(), byObject];
}

describe('the text of a stored document', () => {
  it.each([
    '{}',
    '{"id":1,"title":"The \\"Room\\"","path":"a\\\\b","line":"a\\nb\\u007f","none":null,"yes":true,"no":false}',
    '{"accents":"Amélie","han":"中文字典","emoji":"😀","half":"\\ud800","bom":"\\ufeffx"}',
    '{"n":[0,127,128,255,256,65535,65536,4294967295,4294967296,9007199254740991]}',
    '{"n":[-1,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649,-9007199254740991]}',
    '{"n":[0.5,-0.25,1.5e-7,1e21,123456.789,1.0,-0.0,1e3,1e-9]}',
    '{"a":{"__proto__":1,"b":{"__proto__":{"c":[1.0]}}}}',
    '{"12":1,"b":{"7":1,"a":2,"0":3},"3":[{"z":1,"1":2}],"a":1.0}',
    '{"nested":{"a":{"b":[{"c":"d"},[],{}]},"é":1},"empty":{},"list":[[[["x"]]]]}',
  ])('is that of its object: %s', (json) => {
    const [text, byObject] = texts(json);
    expect(text).toBe(byObject);
  });

  it('is that of its object for strings, lists and maps of all sizes', () => {
    for (const size of [15, 16, 31, 32, 255, 256, 65535, 65536, 70000]) {
      const [text, byObject] = texts(JSON.stringify({ id: size, s: 'x'.repeat(size), é: 'é'.repeat(size) }));
      if (size < 65536 / 2) expect(text).toBe(byObject);
      else expect(text ?? byObject).toBe(byObject);
    }
    for (const size of [15, 16, 300]) {
      const map = Object.fromEntries(Array.from({ length: size }, (_, at) => [`key${at}`, at]));
      const [text, byObject] = texts(JSON.stringify({ list: Object.keys(map), map, ...map }));
      expect(text).toBe(byObject);
    }
  });

  it('leaves `_vectors` out', () => {
    expect(texts('{"id":1,"_vectors":{"a":[1,2]},"z":2}')[0]).toBe('{"id":1,"z":2}');
    expect(texts('{"_vectors":{"a":[1,2]}}')[0]).toBe('{}');
  });

  it('is undefined where fields would be in another order', () => {
    expect(texts('{"b":1,"a":2}', ['a', 'b'])[0]).toBe(undefined);
  });

  it('is undefined for integers beyond 2^53', () => {
    expect(texts('{"n":18446744073709551615}')[0]).toBe(undefined);
    expect(texts('{"n":-9223372036854775808}')[0]).toBe(undefined);
  });

  it('is that of its object or undefined, for any document', () => {
    const document = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 });
    fc.assert(
      fc.property(document, (value) => {
        const [text, byObject] = texts(JSON.stringify(value));
        expect(text ?? byObject).toBe(byObject);
      }),
    );
  });

  it('is left to the decoder where the bytes end within a length', () => {
    const whole = encodeDocument(parseDocument(`{"id":70000,"text":"${'a'.repeat(300)}"}`), new FieldNames([]));
    for (let length = 1; length < 12; length++) {
      const cut = documentText(whole.subarray(0, length), fieldTexts(['id', 'text']));
      expect(cut?.toString() ?? '').not.toContain('NaN');
    }
    expect(documentText(whole.subarray(0, 4), fieldTexts(['id', 'text']))).toBeUndefined();
  });
});
