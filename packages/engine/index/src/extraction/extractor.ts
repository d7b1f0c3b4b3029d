import { type DocId, faultPoint, type SegmentId } from '@fossick/base';
import { FieldNames } from '@fossick/documents/stored';
import type { SegmentInfo } from '@fossick/format/building';
import { createKernel } from '@fossick/kernel';
import { type IndexSettings, tokenizerOptions } from '@fossick/settings/indexing';
import type { PipeReader, PipeWriter } from '@fossick/threads';
import { createTokenizer } from '@fossick/tokenizer';
import { SegmentBuilder } from '../segment/segment-builder.js';

import { type FieldNamesChange, REQUESTS, RESPONSES } from './frames.js';

export interface SegmentStart {
  readonly settings: IndexSettings;
  readonly fieldNames: readonly string[];
}
export interface SegmentDone {
  readonly info: SegmentInfo;
  /** Both sides count fields, and the counts must agree. */
  readonly fieldCount: number;
}

/** Documents between two reports of the memory held. */
const ROWS_PER_WORD = 64;

/**
 * Serves requests until their end, blocking its thread, and responds to each `close`. A fault is reported with the next
 * response.
 */
export function serveExtraction(requests: PipeReader, responses: PipeWriter): void {
  const extractor = new Extractor(responses, (heldBytes) => requests.report(Math.ceil(heldBytes / 1024)));
  for (;;) {
    const { kind, body } = requests.frame();
    if (kind === REQUESTS.end) return;
    extractor.take(kind, body);
  }
}

class Extractor {
  private readonly responses: PipeWriter;
  private readonly reportHeld: (bytes: number) => void;
  private readonly kernel = createKernel();
  private readonly inverter = this.kernel.lists.createInverter();
  private fields = new FieldNames([]);
  private builder: SegmentBuilder | undefined;
  private fault: string | undefined;
  private rowCount = 0;

  constructor(responses: PipeWriter, reportHeld: (bytes: number) => void) {
    this.responses = responses;
    this.reportHeld = reportHeld;
  }

  take(kind: number, body: Buffer): void {
    if (kind === REQUESTS.open) this.fault = undefined;
    try {
      if (this.fault === undefined) this.handle(kind, body);
    } catch (error) {
      this.fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.builder = undefined;
    }
    if (kind !== REQUESTS.close) return;
    if (this.fault !== undefined) this.answer(RESPONSES.fault, Buffer.from(this.fault));
    this.responses.flush();
  }

  private handle(kind: number, body: Buffer): void {
    switch (kind) {
      case REQUESTS.open:
        return this.open(JSON.parse(body.toString()) as SegmentStart);
      case REQUESTS.names:
        return this.changeNames(JSON.parse(body.toString()) as FieldNamesChange);
      case REQUESTS.row: {
        faultPoint('extraction.death');
        this.builder!.add(body.readUInt32LE(0) as DocId, body.subarray(4), undefined);
        if (++this.rowCount % ROWS_PER_WORD === 0) this.reportHeld(this.builder!.heldBytes);
        return;
      }
      case REQUESTS.remove:
        this.builder!.remove(body.readUInt32LE(0) as DocId);
        return;
      case REQUESTS.close:
        return this.close(body.readUInt32LE(0) as SegmentId);
      default:
        throw new Error(`no request of kind ${kind}`);
    }
  }

  private open({ settings, fieldNames }: SegmentStart): void {
    const { kernel, inverter } = this;
    const fields = new FieldNames([...fieldNames]);
    this.fields = fields;
    const tokenizer = createTokenizer(tokenizerOptions(settings));
    this.builder = new SegmentBuilder({ kernel, inverter, tokenizer, settings, fields });
    this.reportHeld(0);
  }

  private changeNames({ keptCount, added }: FieldNamesChange): void {
    const isCut = keptCount < this.fields.count;
    if (isCut) this.fields.truncate(keptCount);
    for (const name of added) this.fields.add(name);
    if (isCut) this.builder!.forgetFieldIds();
  }

  private close(segmentId: SegmentId): void {
    const info = this.builder!.write({ put: (_, key, value) => this.putRow(key, value) }, segmentId);
    this.builder = undefined;
    this.reportHeld(0);
    const done: SegmentDone = { info, fieldCount: this.fields.count };
    this.answer(RESPONSES.done, Buffer.from(JSON.stringify(done)));
  }

  private putRow(key: Uint8Array, value: Uint8Array): void {
    this.responses.frame(RESPONSES.row, 1 + key.length + value.length);
    this.responses.write(Uint8Array.of(key.length));
    this.responses.write(key);
    this.responses.write(value);
  }

  private answer(kind: number, body: Uint8Array): void {
    this.responses.frame(kind, body.length);
    this.responses.write(body);
  }
}
