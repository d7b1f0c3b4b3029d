import { describe, expect, it } from 'vitest';
import { cutFile, delimiterOf, type FileKind, uidFor } from './send-file.js';

/** The texts of the parts. */
async function cut(text: string, kind: FileKind, maxBytes: number, pieceBytes = 5): Promise<string[]> {
  const parts = await cutFile(new Blob([text]), kind, maxBytes, pieceBytes);
  return Promise.all(parts.map((part) => part.text()));
}

const DOCUMENTS = Array.from({ length: 40 }, (_, id) => ({
  id,
  text: ['a, b', '"', '\\', '} ] { [', 'ü\n€', '\\"]},'][id % 6],
  list: [[id], { a: [] }],
}));

describe('a file above the limit', () => {
  it.each([1, 7, 64, 300, 1_000, 5_000])('as JSON is cut between documents, in parts of %i bytes', async (maxBytes) => {
    for (const text of [JSON.stringify(DOCUMENTS), `\uFEFF \n${JSON.stringify(DOCUMENTS, null, 2)}\n`]) {
      const parts = await cut(text, 'json', maxBytes, 13);
      const bytes = parts.map((part) => Buffer.byteLength(part));
      const read = parts.flatMap((part) => JSON.parse(part.replace(/^\uFEFF/, '')) as object[]);
      expect(read).toEqual(DOCUMENTS);
      // no part but one of a single document is larger
      for (const [at, part] of parts.entries())
        if (bytes[at]! > maxBytes) expect(JSON.parse(part.replace(/^\uFEFF/, ''))).toHaveLength(1);
      if (maxBytes < 1_000) expect(parts.length).toBeGreaterThan(1);
    }
  });

  it('as NDJSON is cut between lines', async () => {
    const lines = DOCUMENTS.map((document) => JSON.stringify(document));
    for (const end of ['', '\n']) {
      const parts = await cut(lines.join('\n') + end, 'ndjson', 200);
      expect(parts.join('')).toBe(lines.join('\n') + end);
      expect(parts.length).toBeGreaterThan(5);
      for (const part of parts) for (const line of part.trimEnd().split('\n')) expect(lines).toContain(line);
    }
    expect(await cut('{"id":1}\n{"id":2}', 'ndjson', 9)).toEqual(['{"id":1}\n', '{"id":2}']);
  });

  it('as CSV has the names in each part, and is not cut within quotes', async () => {
    const rows = ['1,"two\nlines"\n', '2,"a ""quoted"" one"\n', '3,plain\n', '4,"\n\n"'];
    const head = 'id,"the\nname"\n';
    expect(await cut(head + rows.join(''), 'csv', 30)).toEqual([
      ...[head + rows[0], head + rows[1], head + rows[2] + rows[3]],
    ]);
    expect(await cut(head + rows.join(''), 'csv', 1)).toEqual(rows.map((row) => head + row));
  });

  it('is sent whole when it fits, or cannot be cut', async () => {
    expect(await cut('[1,2]', 'json', 5)).toEqual(['[1,2]']);
    const one = '{ "id": 1, "list": [1, 2], "more": [{ "a": 1 }] }';
    expect(await cut(one, 'json', 8)).toEqual([one]);
    expect(await cut('[{"id":1,"t":"x"}]', 'json', 8)).toEqual(['[{"id":1,"t":"x"}]']);
    expect(await cut('a,b', 'csv', 1)).toEqual(['a,b']);
    // what is wrong stays wrong, and the server says so
    for (const wrong of ['[{"id":1},{"id":2},{"id', '[{"id":1},{"id":2}] [{"id":3}]', '[{"id":1},{"id":2}],x'])
      expect(await cut(wrong, 'json', 12)).toEqual([wrong]);
  });
});

it.each([
  ['id,title\n1;a;b;c', ','],
  ['id\n', ','],
  ['id;Titel;"Preis, netto, in €"\r\n7;Käse;1,5', ';'],
  ['id;price, net;size\n', ';'],
  ['id\ttitle\n', '\t'],
  ['"a;b;c","d"\n', ','],
  ['id|title', '|'],
  ['', ','],
])('the delimiter of %j is %j', (text, delimiter) => {
  expect(delimiterOf(text)).toBe(delimiter);
});

it('an index is called as its file, in letters that names of indexes may have', () => {
  const names = ['Lager Übersicht.csv', 'Straße nach Łódź.json', 'цены.csv', 'a.b_c-d.ndjson'];
  expect(names.map(uidFor)).toEqual(['lager-ubersicht', 'strasse-nach-odz', 'documents', 'a-b_c-d']);
});
