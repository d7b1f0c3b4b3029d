const STORAGE_NAME = 'fossick.key';

/** The key entered in this tab, or null. It is kept as long as the tab, and sent only to the page's server. */
export function storedKey(): string | null {
  return sessionStorage.getItem(STORAGE_NAME);
}
export function saveKey(key: string): void {
  sessionStorage.setItem(STORAGE_NAME, key);
}
export function forgetKey(): void {
  sessionStorage.removeItem(STORAGE_NAME);
}
