/** A search made in this browser. */
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
/** About 250 kB of the 5 MB that a browser allows a page. */
const MAX_RECORDED = 2_000;

/** Whether searches are recorded. Off by default; the records never leave the browser. */
export function isRecording(): boolean {
  return localStorage.getItem(SWITCH_NAME) === 'on';
}
export function setRecording(isOn: boolean): void {
  localStorage.setItem(SWITCH_NAME, isOn ? 'on' : 'off');
}
/** The recorded searches, oldest first. */
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
/** Records a search, and drops the oldest beyond 2,000. */
export function recordSearch(search: RecordedSearch): void {
  localStorage.setItem(LIST_NAME, JSON.stringify([...recordedSearches(), search].slice(-MAX_RECORDED)));
}
