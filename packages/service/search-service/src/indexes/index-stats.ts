import { databaseSizes, type IndexStatsAnswer } from '@fossick/api';
import type { EngineReader, TableSizes } from '@fossick/index';

/** What statistics ask of the tasks. */
interface RunningTasks {
  uids(filters: {
    readonly statuses: readonly ['processing'];
    readonly indexUids: readonly string[];
  }): readonly number[];
}

/** Options of statistics. */
export interface StatsOptions {
  /** The form in which bytes are shown. */
  readonly size: (bytes: number) => number | string;
  readonly withTables: boolean;
  /** Whether no task is being processed. */
  readonly isIdle: boolean;
}

/** Statistics of one index in the API's form. Throws ApiError index_not_found. */
export function indexStats(
  { engine, tasks }: { readonly engine: EngineReader; readonly tasks: RunningTasks },
  uid: string,
  { size, withTables, isIdle }: StatsOptions,
): IndexStatsAnswer {
  const stats = engine.stats(uid);
  const { diskBytes, usedBytes } = engine.indexSize(uid);
  return {
    numberOfDocuments: stats.numberOfDocuments,
    indexSize: size(diskBytes),
    usedIndexSize: size(usedBytes),
    rawDocumentDbSize: size(stats.rawDocumentDbSize),
    avgDocumentSize: size(stats.avgDocumentSize),
    isIndexing: !isIdle && tasks.uids({ statuses: ['processing'], indexUids: [uid] }).length > 0,
    ...(withTables ? { internalDatabaseSizes: internalSizes(engine.tableSizes(uid), size) } : {}),
    numberOfEmbeddings: stats.numberOfEmbeddings,
    numberOfEmbeddedDocuments: stats.numberOfEmbeddedDocuments,
    fieldDistribution: stats.fieldDistribution,
  };
}

function internalSizes(tables: TableSizes, size: StatsOptions['size']): Record<string, number | string> {
  const filled = Object.entries(databaseSizes(tables)).filter(([, bytes]) => bytes > 0);
  return Object.fromEntries(filled.map(([name, bytes]) => [name, size(bytes)]));
}
