import { useEffect } from 'react';
import type { SearchAnswer } from '../../api/types.js';
import { isRecording, recordSearch } from '../../parts/search-record.js';
import { filterCount, type SearchState } from './search-state.js';

/**
 * A search is recorded when there was no typing for this long, in milliseconds: every letter is a search, but not an intended one.
 */
const SETTLED_MS = 900;

/** Records the search of a state once it has settled, if recording is on. */
export function useRecordedSearch(uid: string, state: SearchState, answer: SearchAnswer | undefined): void {
  useEffect(() => {
    if (answer === undefined || state.page !== 1 || !isRecording()) return;
    const { totalHits = 0, processingTimeMs } = answer;
    const timer = setTimeout(() => {
      const search = { atMs: Date.now(), uid, q: state.q.trim().toLowerCase(), filterCount: filterCount(state) };
      recordSearch({ ...search, hitCount: totalHits, tookMs: processingTimeMs });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [uid, state, answer]);
}
