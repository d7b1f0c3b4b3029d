import type { OpenExtension } from '@fossick/runtime/extension';
import { exportRoute } from './export/export-route.js';

/** What the HTTP thread has of it. `bodyBytesMax`: of the requests that write documents. */
export function openTransfer(bodyBytesMax: number): OpenExtension {
  return {
    routes: [exportRoute(bodyBytesMax)],
    describe: async () => (await import('./description.js')).TRANSFER_PART,
  };
}
