import type pg from 'pg';
import { sqlState } from './connections.js';

const TABLES = `
create table if not exists fossick_head (
  log text primary key,
  position bigint not null,
  floor bigint not null,
  beat_node text,
  beat_epoch bigint,
  beat_count bigint
);
create table if not exists fossick_log (
  log text not null,
  position bigint not null,
  body bytea not null,
  primary key (log, position)
);`;

/** Any number that other programs in the database hardly use: the first six bytes of the SHA-256 hash of "fossick". */
const ADVISORY_LOCK = '241456765685509';
const ATTEMPTS_MAX = 10;

const UNDEFINED_TABLE = '42P01';
/** Two nodes create a table at once: a duplicate in the catalogue, a table or type that is there, a repeated transaction. */
const RACES: readonly (string | undefined)[] = ['23505', '42P07', '42710', '40001', '40P01', 'XX000'];
/** Databases that speak the protocol and have no advisory locks. */
const UNSUPPORTED: readonly (string | undefined)[] = ['0A000', '42883'];

/**
 * Creates the tables unless they are there, and the head row of the log. Any number of nodes may do so at once. A node
 * whose tables are there needs no right to create any.
 */
export async function prepareSchema(pool: pg.Pool, log: string): Promise<void> {
  if (!(await hasTables(pool))) await createTables(pool);
  await pool.query('insert into fossick_head (log, position, floor) values ($1, 0, 1) on conflict (log) do nothing', [
    log,
  ]);
}

async function hasTables(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query('select 1 from fossick_head, fossick_log limit 0');
    return true;
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return false;
    throw error;
  }
}

/** `create table if not exists` fails when two do it at once, so one waits for the other, or repeats it. */
async function createTables(pool: pg.Pool): Promise<void> {
  let isLocking = true;
  for (let attempt = 1; ; attempt++) {
    const lock = isLocking ? `select pg_advisory_xact_lock(${ADVISORY_LOCK});` : '';
    try {
      await pool.query(`begin; ${lock} ${TABLES} commit;`);
      return;
    } catch (error) {
      const state = sqlState(error);
      if (isLocking && UNSUPPORTED.includes(state)) isLocking = false;
      else if (!RACES.includes(state) || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}
