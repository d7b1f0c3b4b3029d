import { availableParallelism } from 'node:os';
import { MAX_JSON_TEXT_BYTES, USUAL_SEARCH_BYTES } from '@fossick/base';
import { defaultFolder } from './default-folder.js';
import { defaultAnswersBytes, defaultIndexingBytes, defaultSearchBytes } from './default-memory.js';
import {
  forcedFeatures,
  readAddress,
  readHttpHosts,
  readHttpOrigins,
  readLogLevel,
  readNames,
  readNetworks,
  readOrigins,
  readTls,
  readUrl,
  readWord,
  type TlsFiles,
} from './option-readers.js';
import { OptionValues } from './option-values.js';

/** The options of a server. Sizes in bytes. */
export interface ServerOptions {
  readonly dbPath: string;
  /** Whether a database without indexes gets the films of the sample. */
  readonly hasSample: boolean;
  readonly host: string;
  readonly port: number;
  readonly masterKey: string | null;
  readonly isProduction: boolean;
  readonly payloadLimitBytes: number;
  /** Largest body of a request that only reads, or that changes small settings. */
  readonly readLimitBytes: number;
  /** Bodies in memory at the same time. */
  readonly heldBodyBytes: number;
  /** Answers in memory that their clients have not read yet. */
  readonly heldAnswerBytes: number;
  /** Of one answer of another instance of the network. */
  readonly remoteAnswerLimitBytes: number;
  /** Origins of pages that may send requests besides its own, `*` for any; null: pages of every origin. */
  readonly httpOrigins: readonly string[] | null;
  /** Names by which it may be called, `*.` before a domain for all below it; null: every name. */
  readonly httpHosts: readonly string[] | null;
  /** Whether the Model Context Protocol is served. */
  readonly hasMcp: boolean;
  /** Origins of pages that may use it besides those of this machine, `*` for any. */
  readonly mcpOrigins: readonly string[];
  readonly logLevel: string;
  /** Lines of the log for people, or JSON for programs. */
  readonly logMode: 'human' | 'json';
  /** Whether usage is counted. */
  readonly countsUsage: boolean;
  /** Where the counts are sent; null: nowhere. */
  readonly usageDataUrl: string | null;
  /** Null: plain HTTP/1. */
  readonly tls: TlsFiles | null;
  /** Whether the database of an older release may be upgraded. */
  readonly isUpgradeAllowed: boolean;
  readonly maxIndexingBytes: number;
  /** From two on, large batches use a second thread. */
  readonly indexingThreadCount: number;
  readonly maxSearchBytes: number;
  /** Part of it for the query result cache. */
  readonly resultCacheBytes: number;
  /** Searches that count as running, that may wait, and for how long. */
  readonly searchSlotCount: number;
  /** Threads for searches of indexes with at least this many documents. */
  readonly searchThreadCount: number;
  readonly searchThreadDocumentsMin: number;
  readonly searchBudgetMs: number;
  readonly searchQueueCapacity: number;
  readonly searchWaitMaxMs: number;
  readonly maxBatchedTaskCount: number | null;
  readonly maxBatchedBytes: number;
  /** `any`, or a comma list of the private networks that outgoing calls may reach. */
  readonly allowedNetworks: string | null;
  /** Requests to one embedding provider that begin within a minute; null: no limit. */
  readonly embedderRequestsPerMinute: number | null;
  /** Number of cached vectors of queries. */
  readonly embeddingCacheEntries: number;
  /** Experimental features that the command line enables at every start. */
  readonly forcedFeatures: readonly string[];
  /** The extensions to serve, by name; null: all that there are. */
  readonly extensions: readonly string[] | null;
  /** What was given, from which extensions read their own options. */
  readonly values: OptionValues;
  /** Warnings for the operator, one sentence each. */
  readonly warnings: readonly string[];
}

/** Payload bytes of one batch, whatever the memory. */
const BATCHED_BYTES_MAX = 10 * 2 ** 30;

/**
 * The options for these flags only, without environment and file. `given`: values in the command line's form. Throws
 * OptionError.
 */
export function optionsOf(given: Readonly<Record<string, string>>): ServerOptions {
  const values = Object.entries(given).map(([flag, text]) => [flag, { text, origin: flag }] as const);
  return resolveOptions(new OptionValues(new Map(values)));
}

/** Options from all sources, and defaults for the others. Throws OptionError. */
export function resolveOptions(values: OptionValues): ServerOptions {
  const bytes = (flag: string): number => values.bytes(flag)!;
  const integer = (flag: string): number => values.integer(flag)!;
  const payloadLimitBytes = bytes('http-payload-size-limit');
  const maxIndexingBytes = values.bytes('max-indexing-memory') ?? defaultIndexingBytes();
  const maxSearchBytes = values.bytes('max-search-memory') ?? defaultSearchBytes();
  return {
    dbPath: values.has('db-path') ? values.text('db-path')! : defaultFolder(),
    hasSample: values.has('sample'),
    ...readAddress(values, 'http-addr', 'localhost:7700'),
    masterKey: values.text('master-key'),
    isProduction: readWord(values, 'env', ['development', 'production']) === 'production',
    payloadLimitBytes,
    readLimitBytes: Math.min(payloadLimitBytes, bytes('http-read-payload-size-limit')),
    heldBodyBytes: values.bytes('http-payloads-memory') ?? 2 * payloadLimitBytes,
    heldAnswerBytes: values.bytes('http-answers-memory') ?? defaultAnswersBytes(),
    httpOrigins: readHttpOrigins(values),
    httpHosts: readHttpHosts(values),
    hasMcp: !values.has('no-mcp'),
    mcpOrigins: readOrigins(values, 'mcp-allowed-origins'),
    remoteAnswerLimitBytes: Math.min(bytes('remote-answer-size-limit'), MAX_JSON_TEXT_BYTES),
    logLevel: readLogLevel(values),
    logMode: readWord(values, 'experimental-logs-mode', ['human', 'json']),
    countsUsage: !values.has('no-analytics'),
    usageDataUrl: readUrl(values, 'usage-data-url'),
    tls: readTls(values),
    isUpgradeAllowed: values.has('upgrade-db') || values.has('experimental-dumpless-upgrade'),
    maxIndexingBytes,
    indexingThreadCount: values.integer('max-indexing-threads') ?? availableParallelism(),
    maxSearchBytes,
    resultCacheBytes: Math.min(
      maxSearchBytes,
      values.bytes('kept-answers-memory') ?? Math.min(maxSearchBytes, USUAL_SEARCH_BYTES) / 16,
    ),
    searchThreadCount: values.integer('search-threads') ?? availableParallelism(),
    searchThreadDocumentsMin: integer('search-threads-from'),
    searchBudgetMs: integer('search-budget-ms'),
    searchSlotCount: Math.max(1, availableParallelism() * integer('experimental-nb-searches-per-core')),
    searchQueueCapacity: integer('experimental-search-queue-size'),
    searchWaitMaxMs: integer('experimental-drop-search-after') * 1000,
    maxBatchedTaskCount: values.integer('experimental-max-number-of-batched-tasks'),
    maxBatchedBytes:
      values.bytes('experimental-limit-batched-tasks-total-size') ?? Math.min(maxIndexingBytes / 2, BATCHED_BYTES_MAX),
    allowedNetworks: readNetworks(values),
    embeddingCacheEntries: integer('experimental-embedding-cache-entries'),
    embedderRequestsPerMinute: integer('embedder-requests-per-minute') || null,
    forcedFeatures: forcedFeatures(values),
    extensions: readNames(values, 'extensions'),
    values,
    warnings: [],
  };
}
