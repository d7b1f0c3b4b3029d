import { apiError, MAX_ANSWER_BYTES } from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import { type SearchContext, TimeSlices } from '@fossick/search-service';
import type { Page } from '@fossick/tasks';

const COMMA = Buffer.from(',');

/**
 * A page of tasks or batches as JSON bytes. One item may be megabytes, so they are read and written one by one, other
 * requests run in between, and the answer has a limit. Items deleted meanwhile are left out. @throws ApiError
 * invalid_task_limit for more than MAX_ANSWER_BYTES, too_many_answers
 */
export async function pageBytes(
  { searches, answerAccount }: Pick<SearchContext, 'searches' | 'answerAccount'>,
  page: Page<number>,
  shown: (uid: number) => object | undefined,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<Buffer> {
  const turns = new TimeSlices(searches);
  const pieces: Buffer[] = [];
  const hold = answerAccount.hold();
  let byteCount = 0;
  try {
    for (const uid of page.results) {
      await turns.yieldIfDue();
      const item = shown(uid);
      if (item === undefined) continue;
      const piece = Buffer.from(toJsonText(item));
      byteCount += piece.length + 1;
      if (byteCount > maxBytes) throw apiError('invalid_task_limit', maxBytes / 2 ** 20);
      hold.set(byteCount);
      if (pieces.length > 0) pieces.push(COMMA);
      pieces.push(piece);
    }
    const { results: _, ...rest } = page;
    return Buffer.concat([Buffer.from('{"results":['), ...pieces, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)]);
  } finally {
    hold.release();
  }
}
