import type { ExtensionHost } from '@fossick/runtime/extension';
import type { Batch } from '@fossick/tasks';
import type { Attributes, Link, Span, SpanContext } from '@opentelemetry/api';
import type { Tracing } from './tracing.js';

/** Spans of requests whose tasks have not run yet; the oldest are forgotten. Some 200 bytes each. */
const EXPECTED_MAX = 20_000;
/** The most links of a span, as the SDK limits them. */
const LINKS_MAX = 128;
/** The most indexes of a batch that its span names. */
const INDEXES_MAX = 20;
/** Batches whose end was told: a batch may be told again. */
const TOLD_MAX = 100;

/** A span of each batch of tasks when it has ended, linked to the requests that registered the tasks. */
export class BatchSpans {
  private readonly tracing: Tracing;
  private readonly host: Pick<ExtensionHost, 'instance' | 'hiddenIndexUids' | 'leads'>;
  private readonly stopListening: () => void;
  /** By task. */
  private readonly expected = new Map<number, SpanContext>();
  private readonly told = new Set<number>();

  constructor(tracing: Tracing, host: BatchSpans['host']) {
    this.tracing = tracing;
    this.host = host;
    this.stopListening = host.instance.taskChanges.listen(({ batches }) => {
      for (const uid of batches) this.look(uid);
    });
  }

  /** A request has registered a task. */
  expect(taskUid: number, span: Span): void {
    this.expected.set(taskUid, span.spanContext());
    if (this.expected.size > EXPECTED_MAX) this.expected.delete(this.expected.keys().next().value!);
  }

  close(): void {
    this.stopListening();
  }

  private look(uid: number): void {
    const { instance, leads } = this.host;
    const batch = this.told.has(uid) ? undefined : instance.tasks.getBatch(uid);
    if (batch === undefined || batch.finishedAt === null) return;
    this.told.add(uid);
    if (this.told.size > TOLD_MAX) this.told.delete(this.told.keys().next().value!);
    const links = this.linksOf(uid);
    // of several servers of one database, one tells of a batch
    if (!leads() || this.isHidden(batch)) return;
    const { api, tracer } = this.tracing;
    const { types, status } = batch.stats;
    const [type, ...others] = Object.keys(types);
    const span = tracer.startSpan(
      type === undefined || others.length > 0 ? 'batch' : `batch ${type}`,
      { startTime: batch.startedAt / 1000, links, attributes: attributesOf(batch) },
      api.ROOT_CONTEXT,
    );
    if ((status.failed ?? 0) > 0) {
      span.setAttribute('error.type', this.firstError(uid) ?? '_OTHER');
      span.setStatus({ code: api.SpanStatusCode.ERROR });
    }
    span.end(batch.finishedAt / 1000);
  }

  /** Forgets the requests of the tasks. */
  private linksOf(batchUid: number): Link[] {
    if (this.expected.size === 0) return [];
    const links = new Map<string, Link>();
    for (const uid of this.host.instance.tasks.uids({ batchUids: [batchUid] })) {
      const context = this.expected.get(uid);
      if (!this.expected.delete(uid) || links.size >= LINKS_MAX) continue;
      links.set(context!.spanId, { context: context! });
    }
    return [...links.values()];
  }

  private isHidden({ stats }: Batch): boolean {
    const uids = Object.keys(stats.indexUids);
    return uids.length > 0 && uids.every((uid) => this.host.hiddenIndexUids.includes(uid));
  }

  /** The code alone: messages may quote documents. */
  private firstError(batchUid: number): string | undefined {
    const { results } = this.host.instance.tasks.list({ batchUids: [batchUid], statuses: ['failed'] }, { limit: 1 });
    return results[0]?.error?.code;
  }
}

function attributesOf({ uid, stats }: Batch): Attributes {
  const { succeeded = 0, failed = 0, canceled = 0 } = stats.status;
  return {
    'fossick.batch': uid,
    'fossick.batch.tasks': stats.totalNbTasks,
    'fossick.batch.types': Object.keys(stats.types),
    'fossick.batch.indexes': Object.keys(stats.indexUids).slice(0, INDEXES_MAX),
    'fossick.batch.succeeded': succeeded,
    'fossick.batch.failed': failed,
    'fossick.batch.canceled': canceled,
  };
}
