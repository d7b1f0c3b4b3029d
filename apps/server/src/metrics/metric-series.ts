import { TASK_STATUS_NAMES, TASK_TYPE_NAMES } from '@fossick/api';
import { Gauge, Registry } from 'prom-client';
import { type MetricsContext, nextTurn, PREFIX } from './metrics-context.js';
import { WorkMetrics } from './work-metrics.js';

/** Indexes read in one turn of the event loop: some milliseconds. */
const INDEXES_PER_TURN = 50;

/** Series of an instance, without those of requests, read on demand. */
export class MetricSeries {
  private readonly registry = new Registry();
  private readonly work = new WorkMetrics(this.registry);
  private readonly databaseBytes = this.gauge('db_size_bytes', 'Bytes of the database on disk');
  private readonly usedBytes = this.gauge('used_db_size_bytes', 'Bytes of the database in use');
  private readonly indexes = this.gauge('index_count', 'Number of indexes');
  private readonly documents = this.gauge('index_docs_count', 'Documents of an index', ['index']);
  private readonly tasks = this.gauge('nb_tasks', 'Tasks by status, type and index', ['kind', 'value']);
  private readonly lastUpdate = this.gauge('last_update', 'Unix seconds of the last change of an index');
  private readonly isIndexing = this.gauge('is_indexing', 'One while a batch runs, else zero');
  private readonly latency = this.gauge('task_queue_latency_seconds', 'Age of the oldest waiting task');
  private readonly queueBytes = this.gauge('task_queue_used_size', 'Bytes of the task store in use');

  /** The text of all series. O(indexes + task types), in pieces; not to be called while another text is made. */
  async text(context: MetricsContext): Promise<string> {
    const { engine } = context;
    const sizes = [engine.size(), context.storeSize()];
    this.databaseBytes.set(sizes.reduce((sum, { diskBytes }) => sum + diskBytes, 0));
    this.usedBytes.set(sizes.reduce((sum, { usedBytes }) => sum + usedBytes, 0));
    this.queueBytes.set(context.storeSize().usedBytes);
    const infos = engine.indexes();
    this.indexes.set(infos.length);
    this.documents.reset();
    for (const [at, { uid }] of infos.entries()) {
      if (at % INDEXES_PER_TURN === INDEXES_PER_TURN - 1) await nextTurn();
      // it may have been deleted since the last turn
      if (engine.index(uid) !== undefined) this.documents.set({ index: uid }, engine.stats(uid).numberOfDocuments);
    }
    this.lastUpdate.set(Math.max(0, ...infos.map(({ updatedAt }) => Math.floor(Date.parse(updatedAt) / 1000))));
    await this.readTasks(
      context,
      infos.map(({ uid }) => uid),
    );
    await this.work.read(context);
    return this.registry.metrics();
  }

  private async readTasks({ tasks }: MetricsContext, indexUids: readonly string[]): Promise<void> {
    this.tasks.reset();
    const set = (kind: string, value: string, count: number): void => this.tasks.set({ kind, value }, count);
    for (const status of TASK_STATUS_NAMES) set('statuses', status, tasks.count({ statuses: [status] }));
    const added = tasks.kinds.map(({ type }) => type);
    for (const type of new Set([...TASK_TYPE_NAMES, ...added])) set('types', type, tasks.count({ types: [type] }));
    for (const [at, uid] of indexUids.entries()) {
      if (at % INDEXES_PER_TURN === INDEXES_PER_TURN - 1) await nextTurn();
      set('indexes', uid, tasks.count({ indexUids: [uid] }));
    }
    this.isIndexing.set(tasks.count({ statuses: ['processing'] }) > 0 ? 1 : 0);
    const [oldest] = tasks.list({ statuses: ['enqueued'] }, { limit: 1, reverse: true }).results;
    this.latency.set(oldest === undefined ? 0 : Math.max(0, Date.now() / 1000 - oldest.enqueuedAt / 1e6));
  }
  private gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `${PREFIX}${name}`, help, labelNames, registers: [this.registry] });
  }
}
