import type { DocId, SegmentId } from '@fossick/base';
import { encodeDocument, FieldNames, type JsonObject } from '@fossick/documents';
import type { SegmentInfo } from '@fossick/format';
import { createKernel } from '@fossick/kernel';
import { DEFAULT_SETTINGS, tokenizerOptions } from '@fossick/settings';
import { createPipe, PipeReader, PipeWriter } from '@fossick/threads';
import { createTokenizer } from '@fossick/tokenizer';
import { describe, expect, it } from 'vitest';
import { SegmentBuilder } from '../segment/segment-builder.js';
import type { SegmentWriter } from '../segment/segment-writer.js';

import { type ExtractorLink, ThreadedSegmentWriter } from './extraction.js';
import { serveExtraction } from './extractor.js';
import { REQUESTS } from './frames.js';

const settings = { ...DEFAULT_SETTINGS, filterableAttributes: ['genre', 'nested.year', '_geo'] };

/** Both threads in one: the extractor works off all requests when its answer is waited for. */
function linkInOneThread(): ExtractorLink {
  const [requests, responses] = [createPipe(1 << 20), createPipe(1 << 20)];
  const writer = new PipeWriter(requests);
  const answers = new PipeReader(responses, false);
  let isServed = false;
  const frame = (): ReturnType<PipeReader['frame']> => {
    if (!isServed) {
      writer.frame(REQUESTS.end, 0);
      writer.flush();
      serveExtraction(new PipeReader(requests, true), new PipeWriter(responses));
    }
    isServed = true;
    return answers.frame();
  };
  return { requests: writer, responses: { frame } };
}

function documentOf(id: number): JsonObject {
  const document: JsonObject = {
    id,
    title: `Das Boot ${id} 電影 ${'wave '.repeat(id % 40)}`,
    genre: ['War', 'Drama'][id % 2],
  };
  if (id % 3 === 0) document['nested'] = { year: 1900 + (id % 90), note: `late field ${id}` };
  if (id % 50 === 0) document['_geo'] = { lat: id % 80, lng: 5 };
  if (id % 70 === 0) document['_vectors'] = { own: [id, 0.5] };
  return document;
}

/** What a transaction does with a draft: documents, one of them twice, one taken out, names that a rollback takes back. */
function fill(segmentWriter: SegmentWriter, fields: FieldNames): void {
  const put = (docId: number, document: JsonObject): void => {
    fields.addDocument(document);
    segmentWriter.add(docId as DocId, encodeDocument(document, fields), document);
  };
  for (let id = 0; id < 300; id++) put(id, documentOf(id));
  segmentWriter.remove(7 as DocId);
  const known = fields.count;
  put(400, { id: 400, passing: 'forgotten' });
  segmentWriter.remove(400 as DocId);
  fields.truncate(known);
  segmentWriter.forgetFieldIds();
  for (let id = 500; id < 600; id++) put(id, { ...documentOf(id), another: `word${id}` });
}

function rowsOf(segmentWriter: SegmentWriter): { readonly rows: readonly string[]; readonly info: SegmentInfo } {
  const rows: string[] = [];
  const put = (table: string, key: Uint8Array, value: Uint8Array): void => {
    rows.push(`${table} ${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('base64')}`);
  };
  const info = segmentWriter.write({ put }, 3 as SegmentId, false);
  return { rows, info };
}

describe('a segment made by an extractor', () => {
  it('has the rows that the writer itself would make', () => {
    const [ownFields, sentFields] = [new FieldNames(['id']), new FieldNames(['id'])];
    const kernel = createKernel();
    const inverter = kernel.lists.createInverter();
    const own = new SegmentBuilder({
      kernel,
      inverter,
      tokenizer: createTokenizer(tokenizerOptions(settings)),
      settings,
      fields: ownFields,
    });
    const sent = new ThreadedSegmentWriter(linkInOneThread(), settings, sentFields);
    fill(own, ownFields);
    fill(sent, sentFields);
    expect([sent.docs.count, sent.hasSeen(7 as DocId), sent.docs.has(7 as DocId)]).toEqual([399, true, false]);
    const expected = rowsOf(own);
    expect(rowsOf(sent)).toEqual(expected);
    expect(expected.rows.length).toBeGreaterThan(8);
    expect(expected.info.facetFields).toContain('nested.year');
  });

  it('tells what went wrong instead of its rows', () => {
    const fields = new FieldNames(['id']);
    const segmentWriter = new ThreadedSegmentWriter(linkInOneThread(), settings, fields);
    segmentWriter.add(0 as DocId, Uint8Array.of(0x92, 1)); // it ends in the middle
    expect(() => rowsOf(segmentWriter)).toThrow('a segment could not be made');
  });
});

describe('a pipe', () => {
  it('hands on frames of any length in order, around its end', () => {
    const shared = createPipe(1 << 17);
    const [writer, reader] = [new PipeWriter(shared), new PipeReader(shared, false)];
    for (let round = 0; round < 40; round++) {
      const body = Buffer.alloc((round * 7919) % 60_000, round);
      writer.frame(round % 7, body.length);
      writer.write(body);
      writer.flush();
      const frame = reader.frame();
      expect([frame.kind, frame.body.equals(body)]).toEqual([round % 7, true]);
    }
  });
});
