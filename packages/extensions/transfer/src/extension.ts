import type { Extension } from '@fossick/runtime/extension';
import { TASK_KINDS } from './task-kinds.js';

/** An instance on its way. All else of this package is loaded by `open`, and by the writer thread. */
export const transfer: Extension = {
  name: 'transfer',
  taskKinds: TASK_KINDS,
  writer: new URL('./transfer-in-writer.js', import.meta.url),
  configure(values) {
    const bodyBytesMax = values.bytes('http-payload-size-limit')!;
    return { open: async () => (await import('./open-transfer.js')).openTransfer(bodyBytesMax) };
  },
};
