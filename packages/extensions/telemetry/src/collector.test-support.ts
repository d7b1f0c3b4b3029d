/** A collector of a test: it takes spans by OTLP over HTTP, as JSON, or as bytes that nobody reads. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

type Value = { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number };
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Value & { arrayValue?: { values: Value[] } } }[];
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly status: { readonly code?: number };
}
interface SentBody {
  readonly resourceSpans: readonly {
    readonly resource: Pick<SentSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export interface TakenSpan extends Omit<SentSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}
export interface Collector {
  readonly url: string;
  /** Headers of each request. */
  readonly heads: readonly { readonly url: string | undefined; readonly contentType: string | undefined }[];
  /** All that was sent. */
  text(): string;
  spans(): readonly TakenSpan[];
  /** The spans that match, once there are as many. */
  until(matches: (span: TakenSpan) => boolean, count?: number): Promise<readonly TakenSpan[]>;
  /** Resolves when a request has arrived that was not there at the call. */
  nextRequest(): Promise<void>;
  close(): Promise<void>;
}

/** `answer`: what it does with a request whose body is read, instead of 200. `port`: 0 for any. */
export async function startCollector(
  answer: (response: ServerResponse) => void = (response) => void response.end('{}'),
  port = 0,
): Promise<Collector> {
  const taken: TakenSpan[] = [];
  const heads: Collector['heads'][number][] = [];
  const waiting = new Set<() => void>();
  let text = '';
  const server = createServer(async (request, response) => {
    const bytes = await bodyOf(request);
    if (bytes === null) return;
    text += bytes.toString('latin1');
    heads.push({ url: request.url, contentType: request.headers['content-type'] });
    if (request.headers['content-type'] === 'application/json') taken.push(...spansOf(JSON.parse(bytes.toString())));
    answer(response);
    for (const look of [...waiting]) look();
  }).listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const when = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heads,
    text: () => text,
    spans: () => taken,
    async until(matches, count = 1) {
      await when(() => taken.filter(matches).length >= count);
      return taken.filter(matches);
    },
    nextRequest() {
      const before = heads.length;
      return when(() => heads.length > before);
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Null when the exporter, whose time was over, gave the request up. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch (error) {
    if (request.complete) throw error;
    return null;
  }
  const bytes = Buffer.concat(parts);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
}

function spansOf({ resourceSpans }: SentBody): TakenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, attributes: plain(span), resource: plain(resource) })),
    ),
  );
}

function plain({ attributes }: Pick<SentSpan, 'attributes'>): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.arrayValue?.values.map(scalar) ?? scalar(value)]),
  );
}
function scalar({ stringValue, intValue, doubleValue }: Value): unknown {
  return stringValue ?? (intValue === undefined ? doubleValue : Number(intValue));
}

/** The variables that send spans to a collector soon. */
export function sentTo(url: string): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '',
  };
}
