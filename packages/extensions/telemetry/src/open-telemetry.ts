import type { ExtensionHost, OpenExtension } from '@fossick/runtime/extension';
import { BatchSpans } from './batch-spans.js';
import type { TraceOptions } from './options.js';
import { RequestSpans } from './request-spans.js';
import { openTracing } from './tracing.js';

/** Spans of requests, of their searches, and of batches. */
export function openTelemetry(options: TraceOptions, host: ExtensionHost): OpenExtension {
  const tracing = openTracing(options, host);
  const batches = new BatchSpans(tracing, host);
  const requests = new RequestSpans(tracing, {
    hasTexts: options.hasTexts,
    hiddenIndexUids: host.hiddenIndexUids,
    onTask: (uid, span) => batches.expect(uid, span),
  });
  return {
    noteRequest: (request) => requests.note(request),
    noteSearch: (asker) => requests.noteSearches(asker),
    carried: (asker) => requests.carried(asker),
    async close() {
      batches.close();
      await tracing.close();
    },
  };
}
