import type { DocId, SegmentId } from '@fossick/base';
import type { FieldNames } from '@fossick/documents';
import { DocSet, type SegmentInfo, type SegmentRows, TABLES } from '@fossick/format';
import type { IndexSettings } from '@fossick/settings';
import { createPipe, PipeReader, PipeWriter, WatchedThread } from '@fossick/threads';
import type { SegmentWriter } from '../segment/segment-writer.js';
import type { SegmentDone } from './extractor.js';
import { REQUESTS, RESPONSES } from './frames.js';
import type { WaitCounter } from './writer-waits.js';

const SCRIPT = new URL('./extraction-thread.js', import.meta.url);
/** Bytes of the pipe that carries documents and rows to the thread. */
const REQUEST_BYTES = 1 << 20;
const RESPONSE_BYTES = 1 << 19;
/** Size of the young generation, as in the writer thread (docs/internals/decisions/indexing-threads.md). */
const YOUNG_GENERATION_MIB = 6;

/** The start message of the thread: the pipes that it reads and writes. */
export interface ExtractionStart {
  readonly requests: SharedArrayBuffer;
  readonly responses: SharedArrayBuffer;
}

/** The writer's two ends of the pipes to an extractor. */
export interface ExtractorLink {
  readonly requests: PipeWriter;
  readonly responses: Pick<PipeReader, 'frame'>;
}

/** Starts the extraction thread with the first segment, and ends it on `end`. */
export class Extraction {
  private readonly waits: WaitCounter;
  /** The running thread, and one that is ending. */
  private readonly threads = new Set<WatchedThread<never>>();
  private current: WatchedThread<never> | undefined;
  private link: ExtractorLink | undefined;

  /** `waits` counts how often and how long the caller waits. */
  constructor(waits: WaitCounter) {
    this.waits = waits;
  }

  /** Starts the thread ahead of use, because that takes a while. */
  prepare(): void {
    this.link ??= this.start();
  }

  /**
   * Begins a segment; an unfinished one is dropped. `onLast` is called when the last segment of a batch is requested.
   */
  segmentWriter(settings: IndexSettings, fields: FieldNames, onLast: () => void): SegmentWriter {
    this.link ??= this.start();
    return new ThreadedSegmentWriter(this.link, settings, fields, onLast);
  }

  /** Ends the thread after its pending work, which frees its memory. Cheap when there is no thread. */
  end(): void {
    this.link?.requests.frame(REQUESTS.end, 0);
    this.link?.requests.flush();
    this.link = undefined;
  }

  /** Terminates the threads, whatever they are doing. */
  abandon(): void {
    for (const thread of this.threads) thread.terminate();
    this.link = undefined;
  }

  private start(): ExtractorLink {
    const [requests, responses] = [createPipe(REQUEST_BYTES), createPipe(RESPONSE_BYTES)];
    const thread = new WatchedThread<never>({
      script: SCRIPT,
      start: { requests, responses } satisfies ExtractionStart,
      pipes: [requests, responses],
      youngGenerationMib: YOUNG_GENERATION_MIB,
      holdsProcess: false,
      // The batch that waits for a terminated thread sees the closed pipes; the next batch gets a new thread.
      onFault: () => this.abandon(),
      onEnd: () => {
        this.threads.delete(thread);
        if (this.current === thread) this.link = undefined;
      },
    });
    this.current = thread;
    this.threads.add(thread);
    return {
      requests: new PipeWriter(requests, this.waits),
      responses: new PipeReader(responses, false, this.waits),
    };
  }
}

/** A segment that another thread builds: stored documents are sent there, and the segment's rows come back. */
export class ThreadedSegmentWriter implements SegmentWriter {
  private readonly link: ExtractorLink;
  private readonly fields: FieldNames;
  private readonly onLast: () => void;
  readonly docs = new DocSet();
  private readonly seen = new DocSet();
  private sentNameCount: number;
  private readonly number = Buffer.alloc(4);

  constructor(link: ExtractorLink, settings: IndexSettings, fields: FieldNames, onLast: () => void = () => {}) {
    this.link = link;
    this.fields = fields;
    this.onLast = onLast;
    this.sentNameCount = fields.count;
    this.sendJson(REQUESTS.open, { settings, fieldNames: fields.list });
  }

  get heldBytes(): number {
    return this.link.requests.reported * 1024;
  }

  add(docId: DocId, row: Uint8Array): void {
    this.docs.add(docId);
    this.seen.add(docId);
    if (this.fields.count > this.sentNameCount) this.sendNames(this.sentNameCount);
    this.sendNumber(REQUESTS.row, docId, row.length);
    this.link.requests.write(row);
  }

  remove(docId: DocId): boolean {
    if (!this.docs.delete(docId)) return false;
    this.sendNumber(REQUESTS.remove, docId);
    return true;
  }

  hasSeen(docId: DocId): boolean {
    return this.seen.has(docId);
  }

  forgetFieldIds(): void {
    this.sendNames(Math.min(this.fields.count, this.sentNameCount));
  }

  write(sink: SegmentRows, segmentId: SegmentId, isLast: boolean): SegmentInfo {
    this.sendNumber(REQUESTS.close, segmentId);
    if (isLast) this.onLast();
    this.link.requests.flush();
    for (;;) {
      const { kind, body } = this.link.responses.frame();
      if (kind === RESPONSES.fault) throw new Error(`a segment could not be made: ${body.toString()}`);
      if (kind === RESPONSES.done) return this.checked(JSON.parse(body.toString()) as SegmentDone);
      const keyEnd = 1 + body[0]!;
      sink.put(TABLES.segments, body.subarray(1, keyEnd), body.subarray(keyEnd));
    }
  }

  private checked({ info, fieldCount }: SegmentDone): SegmentInfo {
    if (fieldCount !== this.sentNameCount) throw new Error('the threads do not agree on the ids of fields');
    return info;
  }

  private sendNames(keptCount: number): void {
    this.sendJson(REQUESTS.names, { keptCount, added: this.fields.list.slice(keptCount) });
    this.sentNameCount = this.fields.count;
  }

  private sendJson(kind: number, value: unknown): void {
    const body = Buffer.from(JSON.stringify(value));
    this.link.requests.frame(kind, body.length);
    this.link.requests.write(body);
  }

  private sendNumber(kind: number, value: number, moreBytes = 0): void {
    this.link.requests.frame(kind, 4 + moreBytes);
    this.number.writeUInt32LE(value);
    this.link.requests.write(this.number);
  }
}
