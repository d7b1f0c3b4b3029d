import type { Extension } from '@fossick/runtime/extension';
import { readTraceOptions, TRACE_OPTIONS } from './options.js';

/** Traces for an OpenTelemetry collector. All else of this package is loaded by `open`, and only where traces are asked for. */
export const telemetry: Extension = {
  name: 'telemetry',
  options: TRACE_OPTIONS,
  configure(values) {
    const options = readTraceOptions(values, process.env);
    return {
      open: async (host) =>
        options === null ? {} : (await import('./open-telemetry.js')).openTelemetry(options, host),
    };
  },
};
