import pg from 'pg';

/** Appends, reads, the beat and hints of one log, at the same time. */
const CONNECTIONS_MAX = 4;
/** Until a connection is open, and as long for one of the pool to become free. */
const CONNECT_MS = 5_000;
/** The database ends a statement after this time. */
const STATEMENT_MS = 10_000;
/** A statement without an answer is given up later than that: its connection or its server is lost. */
const ANSWER_MS = 12_000;

/** A connection that is idle for this time is probed: the one that listens has no other sign of life. */
const KEEP_ALIVE_MS = 30_000;

export interface ConnectionTiming {
  readonly connectMs: number;
  readonly statementMs: number;
  readonly answerMs: number;
}

/**
 * What `pg` connects with. Parameters of the URL win: TLS (`sslmode`, `sslrootcert`, `sslcert`, `sslkey`), `options`,
 * `application_name`, `statement_timeout`. What the URL leaves out comes from the environment (`PGPASSWORD`, …) and ~/.pgpass.
 *
 * Throws TypeError when the URL is none of PostgreSQL's.
 */
export function connectionConfig(url: string, timing: Partial<ConnectionTiming> = {}): pg.PoolConfig {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new TypeError('the address of a PostgreSQL log begins with postgres:// or postgresql://');
  }
  const config: pg.PoolConfig = {
    connectionString: url,
    application_name: 'fossick',
    max: CONNECTIONS_MAX,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: timing.connectMs ?? CONNECT_MS,
    statement_timeout: timing.statementMs ?? STATEMENT_MS,
    query_timeout: timing.answerMs ?? ANSWER_MS,
  };
  try {
    // parses the URL and reads the files that it names; connects nowhere
    new pg.Client(config);
  } catch (error) {
    throw new TypeError(`the address of the PostgreSQL log cannot be used: ${codeOrMessage(error)}`);
  }
  return config;
}

export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // a connection that fails while nothing uses it: the pool opens another one when it is needed
  pool.on('error', () => undefined);
  return pool;
}

/** The SQLSTATE that a database has sent, undefined when the error is another one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Whether an error says nothing lasting: connection lost, no answer in time, server starting or stopping, a standby,
 * resources used up, a transaction that has to be repeated. Other errors come again with each call: no such table, no permission.
 */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || state === READ_ONLY || PASSING_CLASSES.includes(state.slice(0, 2));
}

/** Classes of SQLSTATE: connection, rollback, resources, object not ready, operator, system, internal. */
const PASSING_CLASSES: readonly string[] = ['08', '40', '53', '55', '57', '58', 'XX'];
/** The server is a standby, for example while its successor takes over. */
const READ_ONLY = '25006';

/** Messages of a URL's error may repeat the URL, which has a password. */
function codeOrMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_INVALID_URL' ? 'it is no valid URL' : error.message;
}
