import { useEffect, useState } from 'react';

const STORAGE_NAME = 'fossick.pictures';
/** In the address of the page: its policy then lets pictures in from elsewhere (apps/server/src/routes/pages/dashboard.ts). */
const ALLOWED = '?pictures=on';

function chosenIndexes(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_NAME) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}

/** Whether the pictures of an index are shown, from the addresses in its documents: off, until it is chosen in this browser. */
export function usePictures(uid: string): [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => chosenIndexes().includes(uid));
  const isAllowed = location.search === ALLOWED;
  useEffect(() => {
    // the policy of a page is fixed when it is loaded
    if (isOn && !isAllowed) location.replace(ALLOWED + location.hash);
  }, [isOn, isAllowed]);
  const choose = (next: boolean): void => {
    const others = chosenIndexes().filter((each) => each !== uid);
    localStorage.setItem(STORAGE_NAME, JSON.stringify(next ? [...others, uid] : others));
    setOn(next);
    if (!next) location.replace(location.pathname + location.hash);
  };
  return [isOn && isAllowed, choose];
}
