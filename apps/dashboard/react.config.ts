/** Preact instead of React, for the page and its libraries: the same interface in a tenth of the bytes. This file has what Preact lacks. */
import { createElement, Fragment, type ReactNode } from 'preact/compat';

export * from 'preact/compat';
export { default } from 'preact/compat';

/** Hidden parts are removed instead of kept with their state, which this page does not rely on. */
export function Activity({ mode, children }: { readonly mode?: 'visible' | 'hidden'; readonly children?: ReactNode }) {
  return mode === 'hidden' ? null : createElement(Fragment, null, children);
}
