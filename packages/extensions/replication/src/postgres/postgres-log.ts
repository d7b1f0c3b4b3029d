import type pg from 'pg';
import { DamagedLogError, TrimmedError } from '../log-errors.js';
import type { AppendOutcome, Beat, CommitLog, StoredEntry } from '../port.js';
import { type ConnectionTiming, connectionConfig, isPassing, openPool, sqlState } from './connections.js';
import { checkDurability } from './durability.js';
import { Hints } from './hints.js';
import { prepareSchema } from './schema.js';

/** Entries that one statement reads at most: their sizes are added up until the sum is too large. */
const READ_ENTRIES = 256;
/** Entries that one statement deletes. */
const DELETE_ENTRIES = 256;
/** The transaction was rolled back because of another one. */
const SERIALIZATION_FAILURE = '40001';
/** An entry is there although the head row says that the log ends before it. */
const UNIQUE_VIOLATION = '23505';
/** The database has no such function, or not that feature. */
const UNSUPPORTED: readonly (string | undefined)[] = ['42883', '0A000'];
/** Names are parts of the names of channels, which PostgreSQL limits to 63 bytes. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

export interface PostgresLogOptions {
  /** `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=…`, as `pg` reads it. */
  readonly url: string;
  /** Logs of other names share the tables. [A-Za-z0-9._-], 40 at most, the first one no punctuation. */
  readonly name: string;
  readonly timing?: Partial<ConnectionTiming>;
}

interface Head {
  readonly position: number;
  readonly floor: number;
}

/**
 * A log in two tables of a PostgreSQL database, or of one that speaks its protocol. The head row of a log has its last
 * position and its floor. An append moves the head from `position - 1` to `position` and inserts the entry in one
 * statement, so one of any number of appends wins. A read looks at head and entries in one statement, which has one
 * snapshot: what it finds was above the floor.
 *
 * Nothing connects before the first call, and the tables are created then; while the database is away, calls reject and
 * appends are `unknown`.
 */
export class PostgresLog implements CommitLog {
  private readonly name: string;
  private readonly pool: pg.Pool;
  private readonly hints: Hints;
  private readonly channel: string;
  private prepared: Promise<void> | undefined;
  private isAnnouncing = false;
  private isAnnounceDue = false;
  private hasNotify = true;

  /** Throws RangeError when the name cannot be one, TypeError when the URL cannot be used. */
  constructor({ url, name, timing }: PostgresLogOptions) {
    if (!NAME.test(name)) throw new RangeError(`a log cannot have the name ${JSON.stringify(name)}`);
    const config = connectionConfig(url, timing);
    this.name = name;
    this.channel = `fossick_log_${name}`;
    this.pool = openPool(config);
    this.hints = new Hints(config, this.channel);
  }

  /** What the settings of the database put at risk: see `checkDurability`. */
  async warnings(): Promise<string[]> {
    return await checkDurability(this.pool);
  }

  async append(position: number, bytes: Uint8Array): Promise<AppendOutcome> {
    try {
      const { rowCount } = await this.query(
        `with head as (
           update fossick_head set position = $2::bigint
           where log = $1 and position = $2::bigint - 1 and floor <= $2::bigint returning position
         ) insert into fossick_log (log, position, body) select $1, position, $3::bytea from head`,
        [this.name, position, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
      );
      if (rowCount !== 1) return await this.outcomeAt(position);
      void this.announce();
      return 'appended';
    } catch (error) {
      const state = sqlState(error);
      if (state === SERIALIZATION_FAILURE) return await this.outcomeAt(position);
      if (state === UNIQUE_VIOLATION) {
        throw new DamagedLogError(position, 'it is there, and the log ends before it', { cause: error });
      }
      if (error instanceof TrimmedError || error instanceof DamagedLogError || !isPassing(error)) throw error;
      return 'unknown';
    }
  }

  async read(from: number, bytesMax: number): Promise<readonly StoredEntry[]> {
    const found: StoredEntry[] = [];
    let bytesLeft = bytesMax;
    for (;;) {
      const { entries, isMore } = await this.readSome(from + found.length, bytesLeft);
      for (const { position, bytes } of entries) {
        bytesLeft -= bytes.length;
        // the first one of a statement comes in any case
        if (bytesLeft < 0 && found.length > 0) return found;
        found.push({ position, bytes });
      }
      if (!isMore || bytesLeft <= 0) return found;
    }
  }

  watch(_from: number, onMore: () => void): Disposable {
    return this.hints.watch(onMore);
  }

  async beat({ node, epoch, count }: Beat): Promise<void> {
    await this.query('update fossick_head set beat_node = $2, beat_epoch = $3, beat_count = $4 where log = $1', [
      this.name,
      node,
      epoch,
      count,
    ]);
  }

  async lastBeat(): Promise<Beat | null> {
    const { rows } = await this.query<{ node: string | null; epoch: string; count: string }>(
      'select beat_node as node, beat_epoch as epoch, beat_count as count from fossick_head where log = $1',
      [this.name],
    );
    const beat = rows[0];
    if (beat === undefined || beat.node === null) return null;
    return { node: beat.node, epoch: Number(beat.epoch), count: Number(beat.count) };
  }

  /**
   * Deletes after the floor is committed and in pieces: a long statement would hold the head row, which every append
   * needs. A trim that was stopped in between is completed by the next one.
   */
  async trim(before: number): Promise<void> {
    const { rows } = await this.query<{ floor: string }>(
      `update fossick_head set floor = greatest(floor, $2::bigint)
       where log = $1 and position >= $2::bigint - 1 returning floor`,
      [this.name, before],
    );
    if (rows[0] === undefined) throw endsEarlier(before, await this.head(before));
    const floor = Number(rows[0].floor);
    for (let deleted = 1; deleted > 0; ) {
      const { rowCount } = await this.query(
        `delete from fossick_log where log = $1 and position in
           (select position from fossick_log where log = $1 and position < $2::bigint order by position limit $3)`,
        [this.name, floor, DELETE_ENTRIES],
      );
      deleted = rowCount ?? 0;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.hints.close(), this.pool.end()]);
  }

  /** Entries from `from` on as one statement reads them. `isMore`: there may be others that fit. */
  private async readSome(
    from: number,
    bytesMax: number,
  ): Promise<{ readonly entries: readonly StoredEntry[]; readonly isMore: boolean }> {
    const { rows } = await this.query<{ tail: string; floor: string; position: string | null; body: Buffer }>(
      `select head.position as tail, head.floor, entry.position, entry.body
       from fossick_head head left join (
         select position, body, sum(octet_length(body)) over (order by position) as total from (
           select position, body from fossick_log where log = $1 and position >= $2::bigint order by position limit $4
         ) next
       ) entry on entry.total <= $3::bigint or entry.position = $2::bigint
       where head.log = $1 order by entry.position`,
      [this.name, from, bytesMax, READ_ENTRIES],
    );
    const [first] = rows;
    if (first === undefined) throw new DamagedLogError(from, 'the log has no head row');
    if (from < Number(first.floor)) throw new TrimmedError(from, Number(first.floor));
    const entries = rows
      .filter(({ position }) => position !== null)
      .map(({ position, body }) => ({ position: Number(position), bytes: new Uint8Array(body) }));
    if (from > Number(first.tail) + 1) throw endsEarlier(from - 1, { position: Number(first.tail) });
    if (entries.length === 0 && from <= Number(first.tail)) throw new DamagedLogError(from, 'it is missing');
    for (const [at, { position }] of entries.entries()) {
      if (position !== from + at) throw new DamagedLogError(from + at, 'it is missing');
    }
    return { entries, isMore: entries.length === READ_ENTRIES };
  }

  /** Why an append has done nothing. */
  private async outcomeAt(position: number): Promise<AppendOutcome> {
    let head: Head;
    try {
      head = await this.head(position);
    } catch (error) {
      if (error instanceof DamagedLogError || !isPassing(error)) throw error;
      return 'unknown';
    }
    if (position < head.floor) throw new TrimmedError(position, head.floor);
    if (position <= head.position) return 'taken';
    if (position > head.position + 1) throw endsEarlier(position, head);
    return 'unknown';
  }

  private async head(position: number): Promise<Head> {
    const { rows } = await this.query<{ position: string; floor: string }>(
      'select position, floor from fossick_head where log = $1',
      [this.name],
    );
    const [row] = rows;
    if (row === undefined) throw new DamagedLogError(position, 'the log has no head row');
    return { position: Number(row.position), floor: Number(row.floor) };
  }

  /** A hint for watchers, at most one on its way. It is no part of the append, which must not fail because of it. */
  private async announce(): Promise<void> {
    this.isAnnounceDue = true;
    if (this.isAnnouncing) return;
    this.isAnnouncing = true;
    while (this.isAnnounceDue && this.hasNotify) {
      this.isAnnounceDue = false;
      try {
        // the hint need not be durable: its commit waits for no disk
        await this.pool.query(`select set_config('synchronous_commit', 'off', true), pg_notify($1, '')`, [
          this.channel,
        ]);
      } catch (error) {
        this.hasNotify = !UNSUPPORTED.includes(sqlState(error));
      }
    }
    this.isAnnouncing = false;
  }

  private async query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    await this.prepare();
    return await this.pool.query<Row>(text, [...values]);
  }

  /** Once, or again after it has failed. */
  private async prepare(): Promise<void> {
    this.prepared ??= prepareSchema(this.pool, this.name);
    try {
      await this.prepared;
    } catch (error) {
      this.prepared = undefined;
      throw error;
    }
  }
}

function endsEarlier(position: number, head: Pick<Head, 'position'>): DamagedLogError {
  return new DamagedLogError(position, `the log ends at ${head.position}, it was rewound`);
}
