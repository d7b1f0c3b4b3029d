import { pipeline, type Readable, Transform } from 'node:stream';
import { type DocumentError, ERRORS_PER_PAGE, errorsOfPage } from '@fossick/documents/document-errors';

/** A page of the errors of a task as the API answers it. */
export interface ErrorsPage {
  readonly results: readonly DocumentError[];
  readonly offset: number;
  readonly limit: number;
  /** The errors that are kept. */
  readonly total: number;
}

/** The errors from `offset` on. `pages`: as the log has them. O(limit), at most three of its pages are read. */
export function errorsPage(pages: readonly Uint8Array[], offset: number, limit: number): ErrorsPage {
  const last = pages.at(-1);
  const total = last === undefined ? 0 : (pages.length - 1) * ERRORS_PER_PAGE + errorsOfPage(last).length;
  const results: DocumentError[] = [];
  const end = Math.min(total, offset + limit);
  for (let at = offset; at < end; ) {
    const page = Math.floor(at / ERRORS_PER_PAGE);
    const first = page * ERRORS_PER_PAGE;
    results.push(...errorsOfPage(pages[page]!).slice(at - first, end - first));
    at = first + ERRORS_PER_PAGE;
  }
  return { results, offset, limit, total };
}

const [LINE_FEED, OPEN_BRACKET] = [0x0a, 0x5b];

/** The lines of a payload that are documents: its marks of skipped ones begin with a bracket. */
export function documentsOf(payload: Readable): Readable {
  // an error of the payload is that of the result
  return pipeline(payload, withoutMarks(), () => undefined) as Transform;
}

function withoutMarks(): Transform {
  let isAtStart = true;
  let isMark = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let from = 0; from < chunk.length; ) {
        if (isAtStart) isMark = chunk[from] === OPEN_BRACKET;
        const end = chunk.indexOf(LINE_FEED, from);
        const to = end < 0 ? chunk.length : end + 1;
        if (!isMark) this.push(chunk.subarray(from, to));
        isAtStart = end >= 0;
        from = to;
      }
      done();
    },
  });
}
