import { isDeepStrictEqual } from 'node:util';
import { AnswerTooLongError, type InstanceClient, RefusalError } from '@fossick/instance/client';
import { type DocumentPage, readDocumentPage } from './document-page.js';
import type { MoveReport } from './move-report.js';
import { TaskQueue } from './task-queue.js';

/**
 * Target size of a page: large enough that requests cost little, small enough that three of them in memory do not
 * matter.
 */
const PAGE_BYTES = 4 * 2 ** 20;
/**
 * The most bytes of a page: documents may be sixteen times as long as the previous ones. A single document may be
 * longer.
 */
const PAGE_BYTES_MAX = 64 * 2 ** 20;
const DOCUMENT_BYTES_MAX = 512 * 2 ** 20;
const FIRST_PAGE_COUNT = 100;
const PAGE_COUNT_MAX = 5_000;
/** The most by which a page may be longer than the previous one. */
const GROWTH_MAX = 4;
/** Documents that are compared before a move continues after those at the target. */
const SAMPLE_COUNT = 16;

export interface DocumentMove {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly report: MoveReport;
  readonly uid: string;
  readonly primaryKey: string | null;
  /** Whether documents at the target may be from an earlier run of the same move, which then continues after them. */
  readonly mayContinue: boolean;
}

/** Copies the documents of an index, vectors included. Returns how many were there already. Memory: three pages. */
export async function moveDocuments(move: DocumentMove): Promise<number> {
  const { source, target, report, uid, primaryKey } = move;
  const reader = new PageReader(source, uid, report);
  const total = await countOf(source, uid);
  const startCount = move.mayContinue ? await continuation(move, total) : 0;
  const failures = new Map<string, number>();
  const tasks = new TaskQueue(target, (reason) => failures.set(reason, (failures.get(reason) ?? 0) + 1));
  report.begin(startCount);
  const path = `/indexes/${uid}/documents${primaryKey === null ? '' : `?primaryKey=${encodeURIComponent(primaryKey)}`}`;
  let done = startCount;
  report.progress(uid, done, total);
  let next: Promise<DocumentPage> | null = total > startCount ? reader.read(startCount) : null;
  while (next !== null) {
    const page: DocumentPage = await next;
    done += page.documents.length;
    next = page.documents.length > 0 && done < page.total ? reader.read(done) : null;
    // an error of the page that is read ahead is reported when it is its turn
    next?.catch(() => undefined);
    if (page.documents.length === 0) break;
    const bytes = arrayOf(page.documents);
    const { taskUid } = await target.call<{ taskUid: number }>('POST', path, { bytes });
    await tasks.add(taskUid, bytes.length);
    report.progress(uid, done, page.total);
  }
  await tasks.drain();
  for (const [reason, count] of failures)
    report.problem(`index \`${uid}\`: ${count} ${count === 1 ? 'page' : 'pages'} of documents: ${reason}`);
  return startCount;
}

/** How many documents an index has. */
export async function countOf(instance: InstanceClient, uid: string): Promise<number> {
  return (await fetchPage(instance, uid, { offset: 0, limit: 0 }, PAGE_BYTES_MAX)).total;
}

/** Reads pages of similar size in bytes, whatever the length of documents. */
class PageReader {
  private readonly source: InstanceClient;
  private readonly uid: string;
  private readonly report: MoveReport;
  private limit = FIRST_PAGE_COUNT;
  private hasVectors = true;

  constructor(source: InstanceClient, uid: string, report: MoveReport) {
    this.source = source;
    this.uid = uid;
    this.report = report;
  }

  async read(offset: number): Promise<DocumentPage> {
    for (;;) {
      const limitBytes = this.limit === 1 ? DOCUMENT_BYTES_MAX : PAGE_BYTES_MAX;
      try {
        const body = { offset, limit: this.limit, ...(this.hasVectors && { retrieveVectors: true as const }) };
        const page = await fetchPage(this.source, this.uid, body, limitBytes);
        this.adapt(page);
        return page;
      } catch (error) {
        if (error instanceof AnswerTooLongError && this.limit > 1) {
          this.limit = Math.max(1, Math.floor(this.limit / 8));
          continue;
        }
        if (!this.isAboutVectors(error)) throw error;
        this.hasVectors = false;
        this.report.problem(`index \`${this.uid}\`: the source is of a version that does not give vectors away`);
      }
    }
  }

  private adapt({ documents }: DocumentPage): void {
    if (documents.length === 0) return;
    const bytes = documents.reduce((sum, document) => sum + document.length, 0);
    const wanted = Math.round((documents.length * PAGE_BYTES) / Math.max(bytes, 1));
    this.limit = Math.min(Math.max(wanted, 1), this.limit * GROWTH_MAX, PAGE_COUNT_MAX);
  }

  /** Versions that do not know the member, or require a feature for it. */
  private isAboutVectors(error: unknown): boolean {
    if (!this.hasVectors || !(error instanceof RefusalError)) return false;
    return error.code === 'feature_not_enabled' || /retrieveVectors/.test(error.message);
  }
}

/** The body of a request for a page. Versions that do not know `retrieveVectors` refuse it. */
interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  readonly retrieveVectors?: true;
}

async function fetchPage(
  instance: InstanceClient,
  uid: string,
  body: PageRequest,
  limitBytes: number,
): Promise<DocumentPage> {
  return readDocumentPage(await instance.read('POST', `/indexes/${uid}/documents/fetch`, { body, limitBytes }));
}

/**
 * The number of documents at the target from an earlier run: all that it has, if a sample is the same on both sides.
 * Both list documents in the order of insertion.
 */
async function continuation({ source, target, uid, report }: DocumentMove, total: number): Promise<number> {
  const there = await countOf(target, uid);
  if (there === 0 || there > total) return 0;
  const offsets = new Set(
    Array.from({ length: SAMPLE_COUNT }, (_, at) => Math.floor((at * (there - 1)) / (SAMPLE_COUNT - 1))),
  );
  for (const offset of offsets) {
    const [wanted, found] = await Promise.all([documentAt(source, uid, offset), documentAt(target, uid, offset)]);
    if (!isDeepStrictEqual(wanted, found)) return 0;
  }
  report.line(`${uid}: ${there.toLocaleString('en-US')} documents are there already; it continues after them`);
  return there;
}

/** Without vectors, whose numbers may be written differently. */
async function documentAt(instance: InstanceClient, uid: string, offset: number): Promise<unknown> {
  const { documents } = await fetchPage(instance, uid, { offset, limit: 1 }, DOCUMENT_BYTES_MAX);
  return documents[0] === undefined ? null : JSON.parse(documents[0].toString('utf8'));
}

function arrayOf(documents: readonly Buffer[]): Buffer {
  const comma = Buffer.from(',');
  const parts = documents.flatMap((document, at) => (at === 0 ? [document] : [comma, document]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
}
