import type { WriterHost, WriterPart } from '@fossick/runtime/extension';
import type { ExportContent } from '@fossick/tasks';

/** The part in the writer thread: it does the tasks. What they need is loaded with the first of them. */
export function openInWriter({ reader, features, policy, isEnding }: WriterHost): WriterPart {
  return {
    runners: {
      async export([task], context) {
        const { exportIndexes } = await import('./export/export-indexes.js');
        const content = task!.content as ExportContent;
        const untilEnd = { ...context, isCanceled: () => context.isCanceled() || isEnding() };
        const options = { engine: await reader(), features: features(), policy };
        return [{ status: 'succeeded', details: await exportIndexes(options, content, untilEnd) }];
      },
    },
  };
}
