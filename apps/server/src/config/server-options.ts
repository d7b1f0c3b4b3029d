import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import {
  DEFAULT_CHAT_DOCUMENTS,
  DEFAULT_CHAT_KEEP_ALIVE_SECONDS,
  DEFAULT_CHAT_ROUNDS,
  DEFAULT_CHAT_SECONDS,
  DEFAULT_CHAT_TEXT_BYTES,
  DEFAULT_PAYLOAD_BYTES,
  DEFAULT_PROVIDER_ANSWER_BYTES,
  DEFAULT_PROVIDER_SILENCE_SECONDS,
  DEFAULT_READ_PAYLOAD_BYTES,
  DEFAULT_REMOTE_ANSWER_BYTES,
  MAX_CONVERSATIONS,
  MAX_JSON_TEXT_BYTES,
  MIN_MASTER_KEY_BYTES,
  own,
} from '@fossick/base';
import { Command, Option } from 'commander';
import { parse as parseToml } from 'smol-toml';
import { NetworkPolicy } from '../webhooks/network-policy.js';
import { parseByteSize } from './byte-size.js';
import { defaultIndexingBytes, defaultSearchBytes } from './default-memory.js';
import { IGNORED_OPTIONS, OPTIONS, type OptionSpec } from './option-table.js';

/** A dump or snapshot to import at the start, and which of its refusals to start the operator waives. */
export interface LaunchImport {
  readonly kind: 'dump' | 'snapshot';
  readonly file: string;
  readonly ignoreMissing: boolean;
  readonly ignoreIfDbExists: boolean;
}
/** Files of PEM (OCSP: DER) that HTTPS is served with (spec 04 section 16). */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly authFile: string | null;
  readonly requiresAuth: boolean;
  readonly ocspFile: string | null;
  readonly allowsResumption: boolean;
  readonly allowsTickets: boolean;
}
/** Bounds of conversations. */
export interface ChatOptions {
  readonly maxRounds: number;
  /** Of one search. */
  readonly documents: number;
  /** Of their texts. */
  readonly textBytes: number;
  readonly silenceMs: number;
  readonly timeMs: number;
  /** Of a provider. */
  readonly answerBytes: number;
  /** Of silence in a stream, behind which its client gets a comment. */
  readonly keepAliveMs: number;
  /** At the same time. */
  readonly count: number;
}
/** How one server runs. Sizes in bytes. */
export interface ServerOptions {
  readonly dbPath: string;
  readonly host: string;
  readonly port: number;
  readonly masterKey: string | null;
  readonly isProduction: boolean;
  readonly payloadLimitBytes: number;
  /** Largest body of a request that only reads, or that changes small settings. */
  readonly readLimitBytes: number;
  /** Bodies in memory at the same time. */
  readonly heldBodyBytes: number;
  /** Of one answer of another instance of the network. */
  readonly remoteAnswerLimitBytes: number;
  readonly logLevel: string;
  readonly dumpFolder: string;
  readonly snapshotFolder: string;
  /** What an empty database starts from. */
  readonly launchImport: LaunchImport | null;
  /** null when no snapshots are scheduled. */
  readonly snapshotEverySeconds: number | null;
  /** Null: plain HTTP/1. */
  readonly tls: TlsFiles | null;
  /** Whether the database of an older release may be taken over. */
  readonly isUpgradeAllowed: boolean;
  readonly maxIndexingBytes: number;
  /** From two on, large batches take a second thread. */
  readonly indexingThreadCount: number;
  readonly maxSearchBytes: number;
  /** Part of it for answers that are kept. */
  readonly keptAnswerBytes: number;
  /** Searches that count as running, that may wait, and for how long (spec 04 section 10). */
  readonly searchSlotCount: number;
  /** Threads for searches of indexes of at least so many documents. */
  readonly searchThreadCount: number;
  readonly searchThreadDocumentsMin: number;
  readonly searchQueueCapacity: number;
  readonly searchWaitMaxMs: number;
  readonly maxBatchedTaskCount: number | null;
  readonly maxBatchedBytes: number;
  /** Where finished tasks are posted, and the Authorization header of these posts. */
  readonly taskWebhookUrl: string | null;
  readonly taskWebhookAuthorization: string | null;
  readonly chats: ChatOptions;
  /** `any`, or a comma list of the private networks that outgoing calls may reach. */
  readonly allowedNetworks: string | null;
  /** Requests to one provider of embeddings begun within a minute; null: any number. */
  readonly embedderRequestsPerMinute: number | null;
  /** Vectors of queries that are kept. */
  readonly embeddingCacheEntries: number;
  /** Experimental features that the command line turns on at every start. */
  readonly forcedFeatures: readonly string[];
  /** What the operator should know, one sentence each. */
  readonly warnings: readonly string[];
}

/** Below this size nearly every search is over before a thread would have been asked (decision 0011). */
const LARGE_INDEX_DOCUMENTS = 200_000;

/** A start-up option that cannot be used; its message is for the terminal. */
export class OptionError extends Error {}

type Values = ReadonlyMap<string, string>;
const ALL: readonly OptionSpec[] = [...OPTIONS, ...IGNORED_OPTIONS];
const SECONDS_OF_A_DAY = 86_400;
const FALSE_WORDS = new Set(['n', 'no', 'f', 'false', 'off', '0']);
const LOG_LEVELS: Readonly<Record<string, string>> = {
  OFF: 'silent',
  ERROR: 'error',
  WARN: 'warn',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'trace',
};

/** Payload bytes of one batch, whatever memory there is (spec 03 section 4.2). */
const BATCHED_BYTES_MAX = 10 * 2 ** 30;

/** Command line over environment over config file over defaults. `FOSSICK_X` wins over its twin `MEILI_X`. Throws OptionError. */
export function readServerOptions(argv: readonly string[], env: NodeJS.ProcessEnv): ServerOptions {
  const line = readCommandLine(argv);
  const configPath = line.get('config-file-path') ?? env.FOSSICK_CONFIG_FILE_PATH ?? env.MEILI_CONFIG_FILE_PATH;
  const values = new Map([...readConfigFile(configPath), ...readEnvironment(env), ...line]);
  return resolve(values);
}

function readCommandLine(argv: readonly string[]): Values {
  const command = new Command('fossick').description('Search engine server').exitOverride().allowExcessArguments(false);
  command.addOption(new Option('--config-file-path <path>', 'TOML file of options (default ./config.toml)'));
  for (const { flag, kind, help } of ALL) {
    const value = kind === 'flag' ? '' : kind === 'optionalSeconds' ? ' [seconds]' : ' <value>';
    // commander reads `--no-x` as the negation of `--x`; a flag of its own keeps the name
    command.addOption(new Option(`--${flag}${value}`, help));
  }
  command.parse(argv, { from: 'user' });
  const values = new Map<string, string>();
  const given = command.opts<Record<string, string | boolean>>();
  for (const option of command.options) {
    const name = option.long!.slice(2);
    const value = own(given, option.attributeName());
    if (option.negate ? value === false : value !== undefined && value !== false)
      values.set(name, String(option.negate ? true : value));
  }
  return values;
}

function readEnvironment(env: NodeJS.ProcessEnv): Values {
  const values = new Map<string, string>();
  for (const { flag, kind, env: envName } of ALL) {
    const name = envName ?? flag.toUpperCase().replaceAll('-', '_');
    const text = env[`FOSSICK_${name}`] ?? env[`MEILI_${name}`];
    if (text === undefined) continue;
    if (kind === 'flag' && FALSE_WORDS.has(text.toLowerCase())) continue;
    values.set(flag, kind === 'flag' ? 'true' : text);
  }
  return values;
}

function readConfigFile(path: string | undefined): Values {
  const file = path ?? './config.toml';
  if (!existsSync(file)) {
    if (path !== undefined) throw new OptionError(`the config file ${path} does not exist`);
    return new Map();
  }
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(parseToml(readFileSync(file, 'utf8')))) {
    const flag = key.replaceAll('_', '-');
    if (!ALL.some((option) => option.flag === flag)) throw new OptionError(`${file}: unknown option \`${key}\``);
    // as in the reference, an import is a matter of one start and not of the configuration
    if (flag.startsWith('import-') || flag.startsWith('ignore-')) continue;
    if (value !== false) values.set(flag, String(value));
  }
  return values;
}

function resolve(values: Values): ServerOptions {
  const bytes = (flag: string): number | undefined => {
    const text = values.get(flag);
    if (text === undefined) return undefined;
    const size = parseByteSize(text);
    if (size === undefined) throw new OptionError(`--${flag}: \`${text}\` is not a size; write 104857600 or 100 MB`);
    return size;
  };
  const integer = (flag: string, fallback: number): number => {
    const text = values.get(flag);
    return text === undefined ? fallback : readInteger(flag, text);
  };
  const environment = values.get('env') ?? 'development';
  if (environment !== 'development' && environment !== 'production')
    throw new OptionError(`--env: \`${environment}\` is neither development nor production`);
  const masterKey = values.get('master-key') ?? null;
  const payloadLimitBytes = bytes('http-payload-size-limit') ?? DEFAULT_PAYLOAD_BYTES;
  const maxIndexingBytes = bytes('max-indexing-memory') ?? defaultIndexingBytes();
  const batched = values.get('experimental-max-number-of-batched-tasks');
  const maxSearchBytes = bytes('max-search-memory') ?? defaultSearchBytes();
  return {
    dbPath: values.get('db-path') ?? './data.ms',
    ...readAddress(values.get('http-addr') ?? 'localhost:7700'),
    masterKey,
    isProduction: environment === 'production',
    payloadLimitBytes,
    readLimitBytes: Math.min(payloadLimitBytes, bytes('http-read-payload-size-limit') ?? DEFAULT_READ_PAYLOAD_BYTES),
    heldBodyBytes: bytes('http-payloads-memory') ?? 2 * payloadLimitBytes,
    remoteAnswerLimitBytes: Math.min(
      bytes('remote-answer-size-limit') ?? DEFAULT_REMOTE_ANSWER_BYTES,
      MAX_JSON_TEXT_BYTES,
    ),
    logLevel: readLogLevel(values.get('log-level') ?? 'INFO'),
    dumpFolder: values.get('dump-dir') ?? 'dumps/',
    snapshotFolder: values.get('snapshot-dir') ?? 'snapshots/',
    launchImport: readLaunchImport(values),
    tls: readTls(values),
    isUpgradeAllowed: values.has('upgrade-db') || values.has('experimental-dumpless-upgrade'),
    snapshotEverySeconds: readSnapshotPeriod(values.get('schedule-snapshot')),
    maxIndexingBytes,
    indexingThreadCount: integer('max-indexing-threads', availableParallelism()),
    maxSearchBytes,
    keptAnswerBytes: Math.min(maxSearchBytes, bytes('kept-answers-memory') ?? maxSearchBytes / 16),
    searchThreadCount: integer('search-threads', Math.max(1, availableParallelism() - 1)),
    searchThreadDocumentsMin: integer('search-threads-from', LARGE_INDEX_DOCUMENTS),
    searchSlotCount: Math.max(1, availableParallelism() * integer('experimental-nb-searches-per-core', 4)),
    searchQueueCapacity: integer('experimental-search-queue-size', 1000),
    searchWaitMaxMs: integer('experimental-drop-search-after', 60) * 1000,
    maxBatchedTaskCount:
      batched === undefined ? null : readInteger('experimental-max-number-of-batched-tasks', batched),
    maxBatchedBytes:
      bytes('experimental-limit-batched-tasks-total-size') ?? Math.min(maxIndexingBytes / 2, BATCHED_BYTES_MAX),
    chats: {
      maxRounds: Math.max(1, integer('chat-max-rounds', DEFAULT_CHAT_ROUNDS)),
      documents: integer('chat-max-documents', DEFAULT_CHAT_DOCUMENTS),
      textBytes: bytes('chat-max-text-size') ?? DEFAULT_CHAT_TEXT_BYTES,
      silenceMs: integer('chat-provider-timeout', DEFAULT_PROVIDER_SILENCE_SECONDS) * 1000,
      timeMs: integer('chat-timeout', DEFAULT_CHAT_SECONDS) * 1000,
      answerBytes: bytes('chat-provider-answer-size-limit') ?? DEFAULT_PROVIDER_ANSWER_BYTES,
      keepAliveMs: Math.max(1, integer('chat-keep-alive', DEFAULT_CHAT_KEEP_ALIVE_SECONDS)) * 1000,
      count: integer('chat-max-conversations', MAX_CONVERSATIONS),
    },
    taskWebhookUrl: readUrl(values.get('task-webhook-url') ?? null),
    taskWebhookAuthorization: values.get('task-webhook-authorization-header') ?? null,
    allowedNetworks: readNetworks(values.get('experimental-allowed-ip-networks') ?? null),
    embeddingCacheEntries: integer('experimental-embedding-cache-entries', 0),
    embedderRequestsPerMinute: integer('embedder-requests-per-minute', 0) || null,
    forcedFeatures: forcedFeatures(values),
    warnings: checkMasterKey(masterKey, environment === 'production'),
  };
}

/** Throws OptionError when the import options contradict each other (spec 04 section 16). */
function readLaunchImport(values: Values): LaunchImport | null {
  const found = (['dump', 'snapshot'] as const).flatMap((kind): LaunchImport[] => {
    const file = values.get(`import-${kind}`);
    const waivers = [`ignore-missing-${kind}`, `ignore-${kind}-if-db-exists`] as const;
    const lone = waivers.find((flag) => values.has(flag));
    if (file === undefined && lone !== undefined) throw new OptionError(`--${lone} needs --import-${kind}`);
    if (file === undefined) return [];
    return [{ kind, file, ignoreMissing: values.has(waivers[0]), ignoreIfDbExists: values.has(waivers[1]) }];
  });
  if (found.length > 1) throw new OptionError('--import-dump and --import-snapshot exclude each other');
  return found[0] ?? null;
}
function readTls(values: Values): TlsFiles | null {
  const [certFile, keyFile] = [values.get('ssl-cert-path'), values.get('ssl-key-path')];
  if (certFile === undefined && keyFile === undefined) return null;
  if (certFile === undefined || keyFile === undefined)
    throw new OptionError('--ssl-cert-path and --ssl-key-path go together');
  const authFile = values.get('ssl-auth-path') ?? null;
  const requiresAuth = values.has('ssl-require-auth');
  if (requiresAuth && authFile === null) throw new OptionError('--ssl-require-auth needs --ssl-auth-path');
  return {
    certFile,
    keyFile,
    authFile,
    requiresAuth,
    ocspFile: values.get('ssl-ocsp-path') ?? null,
    allowsResumption: values.has('ssl-resumption'),
    allowsTickets: values.has('ssl-tickets'),
  };
}
function readSnapshotPeriod(text: string | undefined): number | null {
  if (text === undefined || text === 'false') return null;
  const seconds = text === 'true' ? SECONDS_OF_A_DAY : readInteger('schedule-snapshot', text);
  if (seconds === 0) throw new OptionError('--schedule-snapshot: a snapshot every 0 seconds is not possible');
  return seconds;
}

function forcedFeatures(values: Values): string[] {
  const features: readonly (readonly [string, string])[] = [
    ['experimental-enable-metrics', 'metrics'],
    ['experimental-enable-logs-route', 'logsRoute'],
    ['experimental-contains-filter', 'containsFilter'],
    ['experimental-legacy-search-default', 'legacySearch'],
  ];
  return features.filter(([flag]) => values.has(flag)).map(([, feature]) => feature);
}

/** The rules of spec 04 section 16.1: production refuses to run unprotected, development warns. */
function checkMasterKey(masterKey: string | null, isProduction: boolean): string[] {
  const isLong = masterKey !== null && Buffer.byteLength(masterKey) >= MIN_MASTER_KEY_BYTES;
  if (isLong) return [];
  const suggestion = `for example --master-key ${randomBytes(32).toString('base64url')}`;
  const problem =
    masterKey === null ? 'no master key is set' : `the master key is shorter than ${MIN_MASTER_KEY_BYTES} bytes`;
  if (isProduction) throw new OptionError(`${problem}, which production does not allow; use a new one, ${suggestion}`);
  return [`${problem}; before going to production use a new one, ${suggestion}`];
}

function readAddress(text: string): { readonly host: string; readonly port: number } {
  const colon = text.lastIndexOf(':');
  const port = Number(text.slice(colon + 1));
  const host = text.slice(0, Math.max(colon, 0)).replace(/^\[|\]$/g, '');
  if (colon < 0 || host === '' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OptionError(`--http-addr: \`${text}\` is not an address; write localhost:7700`);
  return { host, port };
}
function readUrl(text: string | null): string | null {
  if (text !== null && (!URL.canParse(text) || !/^https?:/i.test(text)))
    throw new OptionError(`--task-webhook-url: \`${text}\` is not a URL; write http://host/path`);
  return text;
}
function readNetworks(text: string | null): string | null {
  try {
    new NetworkPolicy(text);
    return text;
  } catch (error) {
    throw new OptionError(`--experimental-allowed-ip-networks: ${(error as Error).message}`);
  }
}
function readLogLevel(text: string): string {
  const level = own(LOG_LEVELS, text.toUpperCase());
  if (level === undefined)
    throw new OptionError(`--log-level: \`${text}\` is none of ${Object.keys(LOG_LEVELS).join(', ')}`);
  return level;
}
function readInteger(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new OptionError(`--${flag}: \`${text}\` is not a non-negative integer`);
  return value;
}
