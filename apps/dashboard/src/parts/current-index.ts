import { createContext, use } from 'react';

/** The uid of the current index. */
export const IndexUidContext = createContext('');
export function useIndexUid(): string {
  return use(IndexUidContext);
}

const STORAGE_NAME = 'fossick.index';

/** The index viewed last, which is shown first next time. */
export function lastIndex(): string | undefined {
  return localStorage.getItem(STORAGE_NAME) ?? undefined;
}
export function rememberIndex(uid: string): void {
  localStorage.setItem(STORAGE_NAME, uid);
}
export function forgetIndex(uid: string): void {
  if (lastIndex() === uid) localStorage.removeItem(STORAGE_NAME);
}
/** The path of an index's view within the page. */
export function indexPath(uid: string, view = 'search'): string {
  return `/index/${encodeURIComponent(uid)}/${view}`;
}
