/** One start-up option: its flag without the dashes, how its value reads, and what `--help` says (spec 04 section 16). */
export interface OptionSpec {
  readonly flag: string;
  readonly kind: 'text' | 'flag' | 'integer' | 'bytes' | 'optionalSeconds';
  readonly help: string;
  /** The environment name after the prefix, when it is not the flag in upper snake case. */
  readonly env?: string;
}
const option = (kind: OptionSpec['kind'], flag: string, help: string): OptionSpec => ({ kind, flag, help });

/** Options that change what this server does. */
export const OPTIONS: readonly OptionSpec[] = [
  option('text', 'db-path', 'folder of the database (default ./data.ms)'),
  option('text', 'http-addr', 'address to listen on (default localhost:7700)'),
  option('text', 'master-key', 'secret of at least 16 bytes that protects every route'),
  option('text', 'env', 'development (default) or production'),
  option('flag', 'no-analytics', 'accepted for compatibility: this server sends no telemetry'),
  option('bytes', 'http-payload-size-limit', 'largest request body after decompression (default 100 MB)'),
  option(
    'bytes',
    'http-read-payload-size-limit',
    'largest body of requests that only read or change small settings, after decompression (default 10 MB)',
  ),
  option(
    'bytes',
    'http-payloads-memory',
    'request bodies held in memory at the same time (default twice http-payload-size-limit)',
  ),
  option('text', 'log-level', 'OFF, ERROR, WARN, INFO (default), DEBUG or TRACE'),
  option('text', 'dump-dir', 'folder of dumps (default dumps/)'),
  option('text', 'snapshot-dir', 'folder of snapshots (default snapshots/)'),
  option('text', 'import-dump', 'dump to start an empty database from'),
  option('flag', 'ignore-missing-dump', 'start empty when the dump to import does not exist'),
  option('flag', 'ignore-dump-if-db-exists', 'start without importing when there is a database already'),
  option('text', 'import-snapshot', 'snapshot to start an empty database from'),
  option('flag', 'ignore-missing-snapshot', 'start empty when the snapshot to import does not exist'),
  option('flag', 'ignore-snapshot-if-db-exists', 'start without importing when there is a database already'),
  option('optionalSeconds', 'schedule-snapshot', 'write a snapshot every so many seconds (a day when none are named)'),
  option('flag', 'upgrade-db', 'take over the database of an older release'),
  option('flag', 'experimental-dumpless-upgrade', 'older name of --upgrade-db'),
  option('text', 'ssl-cert-path', 'certificate chain (PEM) to serve HTTPS and HTTP/2 with'),
  option('text', 'ssl-key-path', 'private key (PEM) of the certificate'),
  option('text', 'ssl-auth-path', 'certificate authorities (PEM) that client certificates are checked against'),
  option('flag', 'ssl-require-auth', 'refuse clients without a valid certificate'),
  option('text', 'ssl-ocsp-path', 'OCSP response (DER) to staple to the certificate'),
  option('flag', 'ssl-resumption', 'let clients resume sessions'),
  option('flag', 'ssl-tickets', 'let clients resume sessions by tickets'),
  option(
    'bytes',
    'max-indexing-memory',
    'memory the indexer may take (default half of what the process may use, 2 GiB at most)',
  ),
  option(
    'integer',
    'max-indexing-threads',
    'threads that index: from two on large batches take a second one (default all cores)',
  ),
  option(
    'bytes',
    'max-search-memory',
    'memory for searches, and for what is kept for the next ones (default an eighth of what the process may use, 128 MiB to 1 GiB)',
  ),
  option(
    'bytes',
    'kept-answers-memory',
    'part of it for answers to searches that come again (default a sixteenth; 0: none)',
  ),
  option('text', 'task-webhook-url', 'URL that finished tasks are posted to'),
  option('text', 'task-webhook-authorization-header', 'Authorization header of these posts'),
  option(
    'text',
    'experimental-allowed-ip-networks',
    'private networks that outgoing calls may reach: any, or a list of CIDR',
  ),
  option(
    'integer',
    'embedder-requests-per-minute',
    'requests begun within a minute to one provider of embeddings (default 0: any number)',
  ),
  option('integer', 'experimental-embedding-cache-entries', 'vectors of queries that are kept (default 0: none)'),
  option('bytes', 'remote-answer-size-limit', 'largest answer of another instance of the network (default 64 MiB)'),
  option('integer', 'chat-max-rounds', 'requests of one conversation to its provider at most (default 20)'),
  option(
    'integer',
    'chat-max-documents',
    'documents that one search of a conversation gives to the model (default 20)',
  ),
  option('bytes', 'chat-max-text-size', 'size of their texts together (default 64 KiB)'),
  option('integer', 'chat-provider-timeout', 'seconds that a provider may be silent (default 120)'),
  option('integer', 'chat-keep-alive', 'seconds of silence after which a stream gets a comment (default 15)'),
  option('integer', 'chat-timeout', 'seconds that a conversation may take (default 600)'),
  option('bytes', 'chat-provider-answer-size-limit', 'largest answer of a provider (default 16 MiB)'),
  option('integer', 'chat-max-conversations', 'conversations at the same time (default 1000)'),
  option('flag', 'experimental-contains-filter', 'start with the experimental feature containsFilter on'),
  option('flag', 'experimental-enable-metrics', 'start with the experimental feature metrics on'),
  option('flag', 'experimental-enable-logs-route', 'start with the experimental feature logsRoute on'),
  {
    ...option('flag', 'experimental-legacy-search-default', 'start with the experimental feature legacySearch on'),
    env: 'EXPERIMENTAL_LEGACY_SEARCH',
  },
  option('integer', 'search-threads', 'threads for searches of large indexes (default cores less one; 0: none)'),
  option('integer', 'search-threads-from', 'documents from which on an index is large (default 200000)'),
  option('integer', 'experimental-search-queue-size', 'searches that may wait while all slots are busy (default 1000)'),
  option('integer', 'experimental-drop-search-after', 'seconds after which a waiting search is refused (default 60)'),
  option('integer', 'experimental-nb-searches-per-core', 'search slots for each core (default 4)'),
  option('integer', 'experimental-max-number-of-batched-tasks', 'tasks of one batch at most'),
  option('bytes', 'experimental-limit-batched-tasks-total-size', 'payload bytes of one batch at most'),
];

/** Options of the reference engine that have no effect here; a deployment that sets them still starts. */
export const IGNORED_OPTIONS: readonly OptionSpec[] = [
  ...textOptions(
    'experimental-logs-mode experimental-personalization-api-key s3-bucket-url s3-bucket-region ' +
      's3-bucket-name s3-snapshot-prefix s3-access-key s3-secret-key experimental-s3-role-arn experimental-s3-web-identity-token-file ' +
      'experimental-s3-max-in-flight-parts experimental-s3-compression-level experimental-s3-signature-duration ' +
      'experimental-s3-multipart-part-size',
    'text',
  ),
  ...textOptions(
    'experimental-reduce-indexing-memory-usage ' +
      'experimental-no-edition-2024-for-settings experimental-no-edition-2024-for-dumps experimental-no-snapshot-compaction ' +
      'experimental-replication-parameters',
    'flag',
  ),
];

function textOptions(flags: string, kind: OptionSpec['kind']): OptionSpec[] {
  return flags.split(' ').map((flag) => option(kind, flag, 'accepted for compatibility, without effect'));
}
