import type { ArrivedRequest, Asker, RequestNote, RequestOutcome } from '@fossick/runtime/extension';
import type { AnsweredSearch } from '@fossick/search-service';
import type { Attributes, Span } from '@opentelemetry/api';
import { shownPath } from './shown-path.js';
import type { Tracing } from './tracing.js';

/** The methods that the conventions of OpenTelemetry know; others could be any number of names. */
const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE']);
const OTHER = '_OTHER';

export interface RequestSpansOptions {
  /** Whether query texts and full addresses are written. */
  readonly hasTexts: boolean;
  readonly hiddenIndexUids: readonly string[];
  /** Called with each task that a request registers, and the span of the request. */
  readonly onTask: (uid: number, span: Span) => void;
}

interface Begun {
  readonly span: Span;
  /** Of the wall clock, and of the clock that times are measured with. */
  readonly wallMs: number;
  readonly startMs: number;
}

/** A span of each request by the conventions of OpenTelemetry for HTTP servers, and one of each search in it. */
export class RequestSpans {
  private readonly tracing: Tracing;
  private readonly options: RequestSpansOptions;
  /** By the headers of requests under way, which their searches are noted with. */
  private readonly begun = new WeakMap<object, Begun>();

  constructor(tracing: Tracing, options: RequestSpansOptions) {
    this.tracing = tracing;
    this.options = options;
  }

  /** Undefined for a request that is not sampled. */
  note(request: ArrivedRequest): RequestNote | undefined {
    const { api, tracer, parentOf } = this.tracing;
    const method = METHODS.has(request.method) ? request.method : OTHER;
    const [wallMs, startMs] = [Date.now(), performance.now()];
    const span = tracer.startSpan(
      method === OTHER ? 'HTTP' : method,
      { kind: api.SpanKind.SERVER, startTime: wallMs, attributes: this.known(request, method) },
      parentOf(request.headers),
    );
    this.begun.set(request.headers, { span, wallMs, startMs });
    if (!span.isRecording()) return undefined;
    return {
      task: (uid) => this.options.onTask(uid, span),
      end: (outcome) => {
        this.end(span, request, method, outcome);
        span.end(wallMs + performance.now() - startMs);
      },
    };
  }

  /** What each search of a request is noted with. */
  noteSearches({ headers }: Asker): ((search: AnsweredSearch) => void) | undefined {
    const begun = this.begun.get(headers);
    if (begun?.span.isRecording() !== true) return undefined;
    const { api, tracer } = this.tracing;
    const parent = api.trace.setSpan(api.ROOT_CONTEXT, begun.span);
    return ({ indexUid, q, hitCount, rules, tookMs }) => {
      if (this.options.hiddenIndexUids.includes(indexUid)) return;
      const endMs = begun.wallMs + performance.now() - begun.startMs;
      const attributes: Attributes = { 'fossick.index': indexUid, 'fossick.search.hits': hitCount };
      if (rules.length > 0) attributes['fossick.search.rules'] = [...rules];
      if (this.options.hasTexts) attributes['fossick.search.query'] = q;
      const startTime = Math.max(begun.wallMs, endMs - tookMs);
      tracer.startSpan('search', { startTime, attributes }, parent).end(endMs);
    };
  }

  /** What tells another server of the span of a request, of one that is not sampled, too: the other one then samples none either. */
  carried({ headers }: Asker): Readonly<Record<string, string>> {
    const begun = this.begun.get(headers);
    return begun === undefined ? {} : this.tracing.headersOf(begun.span);
  }

  /** What is known of a request before its answer. */
  private known({ method: sent, headers, httpVersion, isEncrypted, url }: ArrivedRequest, method: string): Attributes {
    const attributes: Attributes = {
      'http.request.method': method,
      'url.scheme': isEncrypted ? 'https' : 'http',
      'network.protocol.version': httpVersion === '2.0' ? '2' : httpVersion,
    };
    if (method === OTHER) attributes['http.request.method_original'] = sent;
    const agent = headers['user-agent'];
    if (agent !== undefined) attributes['user_agent.original'] = agent;
    const mark = url.indexOf('?');
    if (this.options.hasTexts && mark >= 0) attributes['url.query'] = url.slice(mark + 1);
    return attributes;
  }

  private end(span: Span, { url }: ArrivedRequest, method: string, { route, status, isCut }: RequestOutcome): void {
    span.setAttribute('url.path', shownPath(url, route, this.options.hasTexts));
    if (route !== undefined) {
      span.setAttribute('http.route', route);
      if (method !== OTHER) span.updateName(`${method} ${route}`);
    }
    if (!isCut) span.setAttribute('http.response.status_code', status);
    if (!isCut && status < 500) return;
    span.setAttribute('error.type', isCut ? 'client_left' : String(status));
    span.setStatus({ code: this.tracing.api.SpanStatusCode.ERROR });
  }
}
