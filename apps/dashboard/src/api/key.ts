const STORAGE_NAME = 'fossick.key';

/** The key that was given for this tab, or null. It lives as long as the tab and is sent to the server of the page alone. */
export function storedKey(): string | null {
  return sessionStorage.getItem(STORAGE_NAME);
}
export function saveKey(key: string): void {
  sessionStorage.setItem(STORAGE_NAME, key);
}
export function forgetKey(): void {
  sessionStorage.removeItem(STORAGE_NAME);
}
