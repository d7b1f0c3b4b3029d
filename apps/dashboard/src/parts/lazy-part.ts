import { type ComponentType, lazy } from 'react';
import { unreachable } from '../api/client.js';

/** A part of the page whose script is loaded when it is shown. A server that is gone by then is told of in words. */
// biome-ignore lint/suspicious/noExplicitAny: the props are those of the part
export function lazyPart<C extends ComponentType<any>>(load: () => Promise<{ default: C }>) {
  return lazy(() =>
    load().catch(() => {
      throw unreachable();
    }),
  );
}
