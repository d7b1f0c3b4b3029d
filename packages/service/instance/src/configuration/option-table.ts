import { wholeSize } from '@fossick/api';
import {
  DEFAULT_PAYLOAD_BYTES,
  DEFAULT_READ_PAYLOAD_BYTES,
  DEFAULT_REMOTE_ANSWER_BYTES,
  MAX_DEFAULT_ANSWERS_BYTES,
  MAX_DEFAULT_SEARCH_BYTES,
  MIN_DEFAULT_ANSWERS_BYTES,
  MIN_DEFAULT_SEARCH_BYTES,
} from '@fossick/base';
import { DEFAULT_FOLDER } from './default-folder.js';

export type OptionKind = 'text' | 'flag' | 'integer' | 'bytes' | 'optionalSeconds';

/** One start-up option: its flag without the dashes, the type of its value, and its description. */
export interface OptionSpec {
  readonly flag: string;
  readonly kind: OptionKind;
  readonly help: string;
  /** The default value, as it would be written. */
  readonly fallback?: string;
  /** The default, where it is no fixed value. */
  readonly otherwise?: string;
  /** The environment name after the prefix, when it is not the flag in upper snake case. */
  readonly env?: string;
  /**
   * Of an option of an extension: without it the data of the server, or their copies, are others than those that were asked for. A server
   * that leaves the extension out does not start with it; other options have no effect then.
   */
  readonly isVital?: boolean;
}
/** Options that are described together. */
export interface OptionGroup {
  readonly title: string;
  readonly options: readonly OptionSpec[];
}
/**
 * An option of one command only. The environment may set it by `variable`, so that a secret does not appear in lists of processes.
 */
export interface CommandOption {
  readonly term: string;
  readonly help: string;
  readonly variable?: string;
}
/** A command of the program, besides starting. */
export interface CommandSpec {
  readonly name: string;
  readonly help: string;
  /** The options of the server that it takes. */
  readonly flags: readonly string[];
  /** What its argument is; absent: it takes none. */
  readonly file?: string;
  /** What the help calls that argument, when it is no file. */
  readonly argument?: string;
  /** Options of its own. */
  readonly own?: readonly CommandOption[];
}
/** Something that the command `restore` makes databases of. */
export interface RestoreHelp {
  /** What comes after `out of`. */
  readonly help: string;
  /** What `--from` is when no option of its own is given. The help has that of the last source, which is asked after all others. */
  readonly from: string;
  /** As those of a command. */
  readonly flags?: readonly string[];
  readonly options: readonly CommandOption[];
}
/** What extensions add to the command line, besides options. */
export interface AddedCommands {
  readonly restoring?: readonly RestoreHelp[];
  readonly commands?: readonly CommandSpec[];
}

const WITHOUT_EFFECT = 'accepted for compatibility, without effect';

/** The default: `=` before a value as it would be written, any other text is prose. */
type Fallback = `=${string}` | string;

function option(kind: OptionKind, flag: string, help: string, fallback: Fallback = ''): OptionSpec {
  if (fallback === '') return { kind, flag, help };
  return fallback.startsWith('=')
    ? { kind, flag, help, fallback: fallback.slice(1) }
    : { kind, flag, help, otherwise: fallback };
}
export const text = (flag: string, help: string, fallback?: Fallback): OptionSpec =>
  option('text', flag, help, fallback);
/** The option, without whose extension a server does not start. */
export const vital = (spec: OptionSpec): OptionSpec => ({ ...spec, isVital: true });
export const flag = (name: string, help: string): OptionSpec => option('flag', name, help);
export const integer = (name: string, help: string, fallback: number | string): OptionSpec =>
  option('integer', name, help, typeof fallback === 'number' ? `=${fallback}` : fallback);
/** A switch whose value is the number of seconds. */
export const optionalSeconds = (name: string, help: string, fallback: string): OptionSpec =>
  option('optionalSeconds', name, help, fallback);
export const bytes = (name: string, help: string, fallback: number | string): OptionSpec =>
  option('bytes', name, help, typeof fallback === 'number' ? `=${wholeSize(fallback)}` : fallback);

const SERVER: OptionGroup = {
  title: 'The server',
  options: [
    text('db-path', 'folder of the database', `=${DEFAULT_FOLDER}`),
    text('http-addr', 'address to listen on', '=localhost:7700'),
    text('env', 'development or production, which needs a master key', '=development'),
    text('master-key', 'secret of at least 16 bytes that protects every route', 'every route is open'),
    text('log-level', 'OFF, ERROR, WARN, INFO, DEBUG or TRACE', '=INFO'),
    text('experimental-logs-mode', 'log lines for people (HUMAN) or for programs (JSON)', '=HUMAN'),
    flag('sample', 'load 2,000 films into the index `movies` if the database has no index'),
    text('extensions', 'comma list of the extensions to serve; an empty list leaves all out', 'all'),
    flag('no-analytics', 'do not count usage'),
    text('usage-data-url', 'address that usage counts are sent to, every hour', 'they are not sent'),
    flag('upgrade-db', 'upgrade the database of an older release'),
    flag('experimental-dumpless-upgrade', 'older name of --upgrade-db'),
  ],
};
const REQUESTS: OptionGroup = {
  title: 'Requests',
  options: [
    text(
      'http-allowed-origins',
      'comma list of origins whose pages may send requests besides those that this server serves: https://shop.example.com, or none',
      'pages of every origin',
    ),
    text(
      'http-allowed-hosts',
      'comma list of the names by which this server is called besides localhost and addresses: search.example.com, *.example.com',
      'every name',
    ),
    bytes('http-payload-size-limit', 'largest request body after decompression', DEFAULT_PAYLOAD_BYTES),
    bytes(
      'http-read-payload-size-limit',
      'largest body of requests that only read or change small settings, after decompression',
      DEFAULT_READ_PAYLOAD_BYTES,
    ),
    bytes('http-payloads-memory', 'request bodies held in memory at the same time', 'twice --http-payload-size-limit'),
    bytes(
      'http-answers-memory',
      'answers held in memory until their clients have read them',
      `an eighth of what the process may use, ${wholeSize(MIN_DEFAULT_ANSWERS_BYTES)} to ${wholeSize(MAX_DEFAULT_ANSWERS_BYTES)}`,
    ),
  ],
};
const MCP: OptionGroup = {
  title: 'Model Context Protocol',
  options: [
    flag('no-mcp', 'do not serve /mcp, where programs with language models find the API as tools'),
    text(
      'mcp-allowed-origins',
      'comma list of origins whose pages may use /mcp besides those of this machine: https://chat.example.com, or * for any',
      'none',
    ),
  ],
};
const SEARCHES: OptionGroup = {
  title: 'Searches',
  options: [
    bytes(
      'max-search-memory',
      'memory for searches and their caches',
      `an eighth of what the process may use, ${wholeSize(MIN_DEFAULT_SEARCH_BYTES)} to ${wholeSize(MAX_DEFAULT_SEARCH_BYTES)}`,
    ),
    bytes(
      'kept-answers-memory',
      'part of it for the query result cache; 0: none',
      'a sixteenth of --max-search-memory',
    ),
    integer(
      'search-threads',
      'threads for searches of large indexes, and of others that would have to wait; 0: none',
      'the number of cores',
    ),
    integer('search-threads-from', 'number of documents from which on an index is large', 200_000),
    integer(
      'search-budget-ms',
      'milliseconds of processor time that a search may take in the thread that serves requests, before a search thread begins it again; at least 50 while no search thread runs',
      10,
    ),
    integer('experimental-search-queue-size', 'searches that may wait while all slots are busy', 1000),
    integer('experimental-drop-search-after', 'seconds after which a waiting search is refused', 60),
    integer('experimental-nb-searches-per-core', 'search slots for each core', 4),
  ],
};
const INDEXING: OptionGroup = {
  title: 'Indexing',
  options: [
    bytes('max-indexing-memory', 'memory for indexing', 'half of what the process may use, 2 GiB at most'),
    integer('max-indexing-threads', 'threads for indexing: from two on, large batches use a second one', 'all cores'),
    integer('experimental-max-number-of-batched-tasks', 'tasks of one batch at most', 'any number'),
    bytes(
      'experimental-limit-batched-tasks-total-size',
      'payload bytes of one batch at most',
      'half of --max-indexing-memory, 10 GiB at most',
    ),
  ],
};
const TLS: OptionGroup = {
  title: 'TLS',
  options: [
    text('ssl-cert-path', 'certificate chain (PEM) to serve HTTPS and HTTP/2 with', 'plain HTTP/1'),
    text('ssl-key-path', 'private key (PEM) of the certificate'),
    text('ssl-auth-path', 'certificate authorities (PEM) that client certificates are checked against'),
    flag('ssl-require-auth', 'refuse clients without a valid certificate'),
    text('ssl-ocsp-path', 'OCSP response (DER) to staple to the certificate'),
    flag('ssl-resumption', 'let clients resume sessions'),
    flag('ssl-tickets', 'let clients resume sessions by tickets'),
  ],
};
const OUTWARD: OptionGroup = {
  title: 'Calls to others',
  options: [
    text(
      'experimental-allowed-ip-networks',
      'private networks that outgoing calls may reach: any, or a list of CIDR',
      'public addresses only',
    ),
    bytes('remote-answer-size-limit', 'largest answer of another instance of the network', DEFAULT_REMOTE_ANSWER_BYTES),
    integer('embedder-requests-per-minute', 'requests per minute to one provider; 0: any number', 0),
    integer('experimental-embedding-cache-entries', 'number of cached query vectors; 0: none', 0),
  ],
};
const FEATURES: OptionGroup = {
  title: 'Experimental features',
  options: [
    flag('experimental-contains-filter', 'start with the feature containsFilter on'),
    flag('experimental-enable-metrics', 'start with the feature metrics on'),
    flag('experimental-enable-logs-route', 'start with the feature logsRoute on'),
    {
      ...flag('experimental-legacy-search-default', 'start with the feature legacySearch on'),
      env: 'EXPERIMENTAL_LEGACY_SEARCH',
    },
  ],
};

/** Options with an effect, in the order of their description. */
const OPTION_GROUPS: readonly OptionGroup[] = [SERVER, REQUESTS, MCP, SEARCHES, INDEXING, TLS, OUTWARD, FEATURES];

/** Options of the reference engine that have no effect here; a deployment that sets them still starts. */
export const IGNORED_OPTIONS: readonly OptionSpec[] = [
  ...ignored('experimental-personalization-api-key', 'text'),
  // requests are signed in their headers when they are sent, and such a signature has no duration
  {
    ...option('text', 'experimental-s3-signature-duration', WITHOUT_EFFECT),
    env: 'EXPERIMENTAL_S3_SIGNATURE_DURATION_SECONDS',
  },
  ...ignored(
    'experimental-reduce-indexing-memory-usage ' +
      'experimental-no-edition-2024-for-settings experimental-no-edition-2024-for-dumps experimental-no-snapshot-compaction ' +
      'experimental-replication-parameters',
    'flag',
  ),
];

/** Every option that may be set: those of the core, and of extensions, which are described after them. */
export class OptionTable {
  readonly groups: readonly OptionGroup[];
  readonly all: readonly OptionSpec[];
  readonly restoring: readonly RestoreHelp[];
  readonly commands: readonly CommandSpec[];

  constructor(ofExtensions: readonly OptionGroup[] = [], { restoring = [], commands = [] }: AddedCommands = {}) {
    this.restoring = restoring;
    this.commands = commands;
    this.groups = [...OPTION_GROUPS, ...ofExtensions];
    this.all = [...this.groups.flatMap(({ options }) => options), ...IGNORED_OPTIONS];
  }
  find(flag: string): OptionSpec | undefined {
    return this.all.find((spec) => spec.flag === flag);
  }
}
export const CORE_OPTIONS = new OptionTable();

function ignored(flags: string, kind: OptionKind): OptionSpec[] {
  return flags.split(' ').map((name) => option(kind, name, WITHOUT_EFFECT));
}
