import { useEffect } from 'react';

const QUESTION = 'There are changes that are not saved. Leave them?';
/** The editors with changes that are not saved. */
const editors = new Set<object>();

/** Holds the page while an editor has changes: leaving it asks first. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined;
    const editor = {};
    editors.add(editor);
    return () => void editors.delete(editor);
  }, [isChanged]);
}

/** Nothing is held any more: changes are saved, or their editor is closed on purpose. */
export function forgetUnsaved(): void {
  editors.clear();
}

/** Asks, where there are changes; whether the user may leave. */
export function mayLeave(): boolean {
  if (editors.size > 0 && !window.confirm(QUESTION)) return false;
  forgetUnsaved();
  return true;
}

/** Asks before another view, another address or another page takes the place of an editor with changes. */
export function guardUnsaved(): void {
  let place = location.hash;
  const onHashChange = (event: HashChangeEvent): void => {
    if (location.hash !== place && !mayLeave()) {
      event.stopImmediatePropagation();
      // a step of the browser's history is taken back by another step, an entry of the page's own by its replacement
      history[event.isTrusted ? 'pushState' : 'replaceState'](null, '', place === '' ? '#/' : place);
    }
    place = location.hash;
  };
  // before the listeners of the router
  window.addEventListener('hashchange', onHashChange, { capture: true });
  window.addEventListener('beforeunload', (event) => {
    if (editors.size > 0) event.preventDefault();
  });
}
