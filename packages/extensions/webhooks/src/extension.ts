import type { Extension } from '@fossick/runtime/extension';
import { readWebhook, WEBHOOK_OPTIONS } from './options.js';
import type { ForWriter } from './webhooks-in-writer.js';

/** Webhooks. All else of this package is loaded by `open`, by the writer thread, by dumps and by moves. */
export const webhooks: Extension = {
  name: 'webhooks',
  options: WEBHOOK_OPTIONS,
  writer: new URL('./webhooks-in-writer.js', import.meta.url),
  archived: new URL('./webhooks-in-dumps.js', import.meta.url),
  move: async (move) => (await import('./move-webhooks.js')).moveWebhooks(move),
  configure(values) {
    const forWriter: ForWriter = { fixed: readWebhook(values), droppedCount: new Int32Array(new SharedArrayBuffer(4)) };
    return {
      forWriter,
      open: async ({ instance }) => (await import('./open-webhooks.js')).openWebhooks(forWriter, instance.values),
    };
  },
};
