import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { PRODUCT_VERSION } from '@fossick/api';
import type { ExtensionHost } from '@fossick/runtime/extension';
import type * as Api from '@opentelemetry/api';
import type * as Core from '@opentelemetry/core';
import type * as Exporters from '@opentelemetry/exporter-trace-otlp-proto';
import type * as Resources from '@opentelemetry/resources';
import type * as Sdk from '@opentelemetry/sdk-trace';
import type { TraceOptions } from './options.js';

/** How long the end of the server waits for a collector that does not take the last spans. */
const FLUSH_MS = 2_000;
/** The most of a text in a span: it is the client's, and waits in the queue. */
const TEXT_CHARS = 2_048;
/** Faults of one collector are told at most this often. */
const TELL_EVERY_MS = 60_000;

/** The SDK at work. */
export interface Tracing {
  readonly api: typeof Api;
  readonly tracer: Api.Tracer;
  /** What a request says of the span that it is part of, by the W3C's `traceparent`; the root context where it says nothing valid. */
  parentOf(headers: IncomingHttpHeaders): Api.Context;
  /** What tells another server of a span, by the W3C's `traceparent` and `tracestate`. */
  headersOf(span: Api.Span): Record<string, string>;
  /** Sends what is waiting, for two seconds at most. */
  close(): Promise<void>;
}

/** Loads the SDK, and begins to export. Where the collector does not take spans, the SDK keeps a bounded number and drops more. */
export function openTracing({ files, sampler, queue }: TraceOptions, { onFault }: ExtensionHost): Tracing {
  // what the SDK depends on is found as it finds it
  const load = createRequire(files.sdk);
  const sdk = load(files.sdk) as typeof Sdk;
  const api = load('@opentelemetry/api') as typeof Api;
  const core = load('@opentelemetry/core') as typeof Core;
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = load(
    '@opentelemetry/resources',
  ) as typeof Resources;
  const { OTLPTraceExporter } = load(files.exporter) as typeof Exporters;
  const own = { 'service.name': 'fossick', 'service.version': PRODUCT_VERSION };
  const provider = new sdk.TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    spanLimits: { attributeValueLengthLimit: TEXT_CHARS },
    sampler: samplerOf(sdk, sampler),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...queue })],
  });
  const tell = seldom(onFault);
  core.setGlobalErrorHandler(tell);
  const propagator = new core.W3CTraceContextPropagator();
  return {
    api,
    tracer: provider.getTracer('fossick', PRODUCT_VERSION),
    parentOf: (headers) =>
      headers['traceparent'] === undefined
        ? api.ROOT_CONTEXT
        : propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter),
    headersOf(span) {
      const headers: Record<string, string> = {};
      propagator.inject(api.trace.setSpan(api.ROOT_CONTEXT, span), headers, api.defaultTextMapSetter);
      return headers;
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          tell(new Error('the collector did not take the last spans in time'));
          resolve();
        }, FLUSH_MS);
      });
      await Promise.race([provider.shutdown().catch(tell), late]);
      clearTimeout(timer);
    },
  };
}

function samplerOf(sdk: typeof Sdk, { kind, isParentBased, ratio }: TraceOptions['sampler']): Sdk.Sampler {
  const makers = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = makers[kind]();
  return isParentBased ? new sdk.ParentBasedSampler({ root }) : root;
}

/** Tells the first fault, and the next one when a minute has passed. */
function seldom(onFault: (error: unknown) => void): (error: unknown) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    const nowMs = performance.now();
    if (nowMs < lastMs + TELL_EVERY_MS) return;
    lastMs = nowMs;
    const reason = error instanceof Error ? error.message || error.name : String(error);
    onFault(new Error(`spans were not sent: ${reason.split('\n', 1)[0]}`));
  };
}
