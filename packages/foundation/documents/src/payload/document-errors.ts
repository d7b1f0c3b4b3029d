import {
  base64Text,
  LISTED_TASK_ERRORS,
  MAX_TASK_ERROR_BYTES,
  MAX_TASK_ERRORS,
  requiredBuiltIn,
  utf8Text,
} from '@fossick/base';

/** Why one document of a task was skipped. */
export interface DocumentError {
  /** Null when the document has no id that could be read. */
  readonly id: string | null;
  /**
   * Where it is in the payload, from 1: its line in NDJSON, its row in CSV with the header as row 1, its position in a
   * JSON array. Null for a document that is in the index already.
   */
  readonly line: number | null;
  readonly code: string;
  readonly reason: string;
}

/** The skipped documents of a task. */
export interface DocumentErrorSummary {
  /** All of them. */
  readonly count: number;
  /** The first, at most LISTED_TASK_ERRORS. */
  readonly first: readonly DocumentError[];
  /** Up to MAX_TASK_ERRORS, in base64 of compressed JSON, ERRORS_PER_PAGE in each but the last. */
  readonly pages: readonly string[];
}

/** Errors of one stored page. */
export const ERRORS_PER_PAGE = 1_000;
/** UTF-16 units of a reason: an embedder may answer with a page of text. */
const REASON_UNITS_MAX = 1_000;
/** UTF-16 units of a reason in the details of a task: batching/joins.ts of the tasks counts with it. */
const LISTED_REASON_UNITS_MAX = 200;

/** Collects the errors of a task up to the limits, and counts the others. */
export class DocumentErrors {
  private readonly errors: DocumentError[] = [];
  private textUnits = 0;
  private allCount = 0;

  /** All errors, also those that are not kept. */
  get count(): number {
    return this.allCount;
  }

  /** Whether no further error is kept. */
  get isFull(): boolean {
    return this.errors.length >= MAX_TASK_ERRORS || this.textUnits >= MAX_TASK_ERROR_BYTES;
  }

  add({ reason, ...where }: DocumentError): void {
    this.allCount += 1;
    if (this.isFull) return;
    const short = cut(reason, REASON_UNITS_MAX);
    this.errors.push({ ...where, reason: short });
    this.textUnits += short.length + (where.id?.length ?? 0) + where.code.length + 40;
  }

  addUnlisted(count: number): void {
    this.allCount += count;
  }

  /** The errors in the order of their lines. O(errors log errors) */
  summary(): DocumentErrorSummary {
    // embedders report a document after others that follow it
    const sorted = [...this.errors].sort((left, right) => (left.line ?? 0) - (right.line ?? 0));
    const pages: string[] = [];
    for (let from = 0; from < sorted.length; from += ERRORS_PER_PAGE) {
      const text = JSON.stringify(sorted.slice(from, from + ERRORS_PER_PAGE));
      pages.push(base64Text(requiredBuiltIn('node:zlib').deflateRawSync(text)));
    }
    const first = sorted.slice(0, LISTED_TASK_ERRORS).map(({ reason, ...where }) => ({
      ...where,
      reason: cut(reason, LISTED_REASON_UNITS_MAX),
    }));
    return { count: this.allCount, first, pages };
  }
}

function cut(text: string, units: number): string {
  return text.length > units ? `${text.slice(0, units - 1)}…` : text;
}

/** Bytes of the text of a page: more than 1,000 reasons, ids and codes take. Pages also come from copies of other instances. */
const PAGE_TEXT_BYTES_MAX = 16 * 2 ** 20;

/** The errors of a stored page, given its bytes. Throws RangeError and SyntaxError when they are none. */
export function errorsOfPage(bytes: Uint8Array): readonly DocumentError[] {
  const { inflateRawSync } = requiredBuiltIn('node:zlib');
  return JSON.parse(
    utf8Text(inflateRawSync(bytes, { maxOutputLength: PAGE_TEXT_BYTES_MAX })),
  ) as readonly DocumentError[];
}
