import { useEffect } from 'react';
import type { SearchAnswer } from '../api/types.js';
import { filterCount, type SearchState } from './search-state.js';

/** A search that somebody made in this browser. */
export interface RecordedSearch {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly uid: string;
  readonly q: string;
  readonly hitCount: number;
  readonly tookMs: number;
  readonly filterCount: number;
}
const [SWITCH_NAME, LIST_NAME] = ['fossick.analytics', 'fossick.searches'];
/** About 250 kB of the 5 MB that a browser gives a page. */
const MAX_KEPT = 2_000;
/** A query counts once nobody has typed for so long: every letter is a search, but not one that was meant. */
const SETTLED_MS = 900;

/** Whether searches are kept. Off until somebody switches it on; what is kept never leaves the browser. */
export function isRecording(): boolean {
  return localStorage.getItem(SWITCH_NAME) === 'on';
}
export function setRecording(isOn: boolean): void {
  localStorage.setItem(SWITCH_NAME, isOn ? 'on' : 'off');
}
/** What was kept, oldest first. */
export function recordedSearches(): readonly RecordedSearch[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(LIST_NAME) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
export function forgetSearches(): void {
  localStorage.removeItem(LIST_NAME);
}
/** Keeps one more, and lets go of the oldest beyond 2,000. */
export function recordSearch(search: RecordedSearch): void {
  localStorage.setItem(LIST_NAME, JSON.stringify([...recordedSearches(), search].slice(-MAX_KEPT)));
}

/** Keeps the search of a state once it has settled, while the switch is on. */
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
