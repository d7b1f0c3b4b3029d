/**
 * Preact in React's place, for the page and the libraries it stands on: the same interface in a tenth of the bytes. What Preact does not have
 * is here.
 */
import { createElement, Fragment, type ReactNode } from 'preact/compat';

export * from 'preact/compat';
export { default } from 'preact/compat';

/** Hidden parts are taken away, not kept with their state: nothing of this page relies on that. */
export function Activity({ mode, children }: { readonly mode?: 'visible' | 'hidden'; readonly children?: ReactNode }) {
  return mode === 'hidden' ? null : createElement(Fragment, null, children);
}
