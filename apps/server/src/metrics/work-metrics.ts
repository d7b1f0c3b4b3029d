import { LOG_BYTES_MAX, LOG_FULL_SHARE, type TaskLog, toMilliseconds } from '@fossick/tasks';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type MetricsContext, nextTurn } from './metrics-context.js';

/** Finished batches that have series of their own. */
const REPORTED_BATCHES = 10;

/** Prometheus metrics of running and waiting searches, of the space for tasks, and of the last batches. */
export class WorkMetrics {
  private readonly registry: Registry;
  private readonly degraded: Counter;
  private readonly capacity: Gauge;
  private readonly running: Gauge;
  private readonly waiting: Gauge;
  private readonly queueMax: Gauge;
  private readonly queueLeft: Gauge;
  private readonly runningSteps: Gauge;
  private readonly finishedSteps: Gauge;
  private readonly indexed: Gauge;
  private readonly indexedMs: Gauge;
  /** The finished ones of the last batches, which do not change any more. */
  private readonly reported = new Map<number, FinishedBatch>();

  constructor(registry: Registry) {
    this.registry = registry;
    this.degraded = this.counter(
      'degraded_search_requests',
      'Searches that were ended by the time limit of their index',
    );
    this.counter('personalized_search_requests', 'Searches whose hits were ordered to a taste: this server does not');
    this.capacity = this.gauge('search_queue_size', 'Searches that may wait');
    this.running = this.gauge('searches_running', 'Searches that run in threads of their own');
    this.waiting = this.gauge('searches_waiting_to_be_processed', 'Searches that wait');
    this.queueMax = this.gauge('task_queue_max_size', 'Bytes that the task store may grow to');
    this.queueLeft = this.gauge('task_queue_size_until_stop_registering', 'Bytes until no more tasks are registered');
    const step = ['batch_uid', 'step_name'];
    this.runningSteps = this.gauge(
      'batch_running_progress_trace',
      'How far each step of the running batch is, in percent',
      step,
    );
    this.finishedSteps = this.gauge(
      'last_finished_batches_progress_trace_ms',
      'Milliseconds of each step of the last batches',
      step,
    );
    const labels = ['batch_uid', 'index'];
    this.indexed = this.gauge('last_indexed_documents_count', 'Documents that the last batches indexed', labels);
    this.indexedMs = this.gauge('last_indexed_documents_duration_ms', 'Milliseconds that these batches took', labels);
  }

  /** Reads everything that is not counted as it happens. O(reported batches) */
  async read({ options, searches, searchers, counts, tasks, storeSize, writer }: MetricsContext): Promise<void> {
    this.degraded.reset();
    this.degraded.inc(counts.degraded);
    this.capacity.set(options.searchQueueCapacity);
    this.running.set(searchers.runningCount);
    this.waiting.set(searches.waitingCount + searchers.waitingCount);
    this.queueMax.set(LOG_BYTES_MAX);
    this.queueLeft.set(Math.max(0, LOG_BYTES_MAX * LOG_FULL_SHARE - storeSize().usedBytes));
    await this.readBatches(tasks, (uid) => writer.progress(uid));
  }

  private async readBatches(tasks: TaskLog, progressOf: (batchUid: number) => unknown): Promise<void> {
    for (const gauge of [this.runningSteps, this.finishedSteps, this.indexed, this.indexedMs]) gauge.reset();
    const uids = tasks.listBatchUids({}, { limit: REPORTED_BATCHES }).results;
    for (const uid of this.reported.keys()) if (!uids.includes(uid)) this.reported.delete(uid);
    for (const uid of uids) {
      const reported = this.reported.get(uid) ?? (await readBatch(tasks, uid));
      const batch_uid = String(uid);
      if (reported === null) {
        for (const { currentStep, finished, total } of stepsOf(progressOf(uid)))
          this.runningSteps.set({ batch_uid, step_name: currentStep }, total === 0 ? 0 : (100 * finished) / total);
        continue;
      }
      this.reported.set(uid, reported);
      for (const [step_name, ms] of reported.steps) this.finishedSteps.set({ batch_uid, step_name }, ms);
      if (reported.indexedDocuments === null) continue;
      for (const index of reported.indexUids) {
        this.indexed.set({ batch_uid, index }, reported.indexedDocuments);
        this.indexedMs.set({ batch_uid, index }, reported.tookMs);
      }
    }
  }
  private counter(name: string, help: string): Counter {
    return new Counter({ name: `meilisearch_${name}`, help, registers: [this.registry] });
  }
  private gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `meilisearch_${name}`, help, labelNames, registers: [this.registry] });
  }
}

/**
 * The figures of a finished batch; null while it runs. Its row contains all details, which may be settings of many
 * megabytes, so it is read once.
 */
async function readBatch(tasks: TaskLog, uid: number): Promise<FinishedBatch | null> {
  await nextTurn();
  const batch = tasks.getBatch(uid);
  if (batch === undefined || batch.finishedAt === null) return null;
  const { details, stats, startedAt, finishedAt } = batch;
  const { indexedDocuments } = details;
  return {
    steps: Object.entries(stats.progressTrace ?? {}).map(([name, time]) => [name, toMilliseconds(time)]),
    indexUids: Object.keys(stats.indexUids),
    indexedDocuments: typeof indexedDocuments === 'number' ? indexedDocuments : null,
    tookMs: Math.round((finishedAt - startedAt) / 1000),
  };
}

interface FinishedBatch {
  readonly steps: readonly (readonly [string, number])[];
  readonly indexUids: readonly string[];
  readonly indexedDocuments: number | null;
  readonly tookMs: number;
}
interface Step {
  readonly currentStep: string;
  readonly finished: number;
  readonly total: number;
}
function stepsOf(progress: unknown): readonly Step[] {
  return (progress as { readonly steps?: readonly Step[] } | null)?.steps ?? [];
}
