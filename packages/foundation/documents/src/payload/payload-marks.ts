/**
 * Lines of a payload file that are no documents: JSON arrays, where documents are objects. Only payloads whose faulty
 * documents are skipped have them.
 */
import { apiError } from '@fossick/base';

/** Places count from 1: lines of NDJSON, rows of CSV with its header, elements of a JSON array. */
export type PayloadMark =
  /** The next document is at this place; without a mark it follows the one before. */
  | { readonly kind: 'place'; readonly place: number }
  /** The document at this place was refused when the payload was received. */
  | { readonly kind: 'refused'; readonly place: number; readonly code: string; readonly message: string }
  /** This many more were refused, which are only counted. */
  | { readonly kind: 'more'; readonly count: number };

/** A line of a payload with marks. */
export type PayloadItem = { readonly kind: 'document'; readonly place: number; readonly line: string } | PayloadMark;

/** The line of a mark: `[place]`, `[place, code, message]` or `[0, count]`. */
export function markLine(mark: PayloadMark): string {
  if (mark.kind === 'place') return `[${mark.place}]`;
  if (mark.kind === 'more') return `[0,${mark.count}]`;
  return JSON.stringify([mark.place, mark.code, mark.message]);
}

/** The mark of a line that begins with a bracket. Throws ApiError malformed_payload when it is none. */
export function readMark(line: string): PayloadMark {
  const parts = partsOf(line);
  const [place, second, message] = parts;
  if (isCount(place)) {
    if (parts.length === 1 && place > 0) return { kind: 'place', place };
    if (parts.length === 2 && place === 0 && isCount(second)) return { kind: 'more', count: second };
    if (parts.length === 3 && place > 0 && typeof second === 'string' && typeof message === 'string')
      return { kind: 'refused', place, code: second, message };
  }
  throw apiError('malformed_payload', 'json', 'a line is neither a document nor a mark');
}

/** Documents and marks of the lines of a payload, in order. */
export function* payloadItems(lines: Iterable<string>): Generator<PayloadItem> {
  let place = 1;
  for (const line of lines) {
    if (!line.startsWith('[')) {
      yield { kind: 'document', place, line };
      place += 1;
      continue;
    }
    const mark = readMark(line);
    if (mark.kind !== 'more') place = mark.kind === 'place' ? mark.place : mark.place + 1;
    yield mark;
  }
}

function partsOf(line: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
