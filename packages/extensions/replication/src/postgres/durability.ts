/** As much of a pool of `pg` as a check needs. */
export interface Queries {
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>;
}

interface Settings {
  readonly version: string;
  readonly fsync: string | null;
  readonly synchronous_commit: string | null;
  readonly full_page_writes: string | null;
  readonly synchronous_standby_names: string | null;
}

const SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'synchronous_standby_names'];
const QUERY = `select version() as version, ${SETTINGS.map((name) => `current_setting('${name}', true) as ${name}`)}`;

/**
 * Sentences that say which settings of the database put acknowledged entries at risk, and what can happen; empty when
 * none does. Settings are those of a session as the log has it. Rejects when the database does not answer.
 * See https://www.postgresql.org/docs/current/runtime-config-wal.html.
 */
export async function checkDurability(pool: Queries): Promise<string[]> {
  const { rows } = await pool.query(QUERY);
  const settings = rows[0] as Settings;
  // these replicate each commit by themselves, and show settings of PostgreSQL for compatibility only
  if (/cockroach|-YB-/i.test(settings.version)) return [];
  return [...crashWarnings(settings), ...failoverWarnings(settings)];
}

function crashWarnings(settings: Settings): string[] {
  const warnings: string[] = [];
  if (settings.fsync === 'off') {
    warnings.push(
      'PostgreSQL runs with fsync = off: a power failure or a crash of its machine can lose tasks that were accepted, or damage the database.',
    );
  }
  if (settings.synchronous_commit === 'off') {
    warnings.push(
      'PostgreSQL runs with synchronous_commit = off: a crash of the database can lose the tasks that were accepted last.',
    );
  }
  if (settings.full_page_writes === 'off') {
    warnings.push(
      'PostgreSQL runs with full_page_writes = off: a power failure can damage the database, unless its file system writes whole pages.',
    );
  }
  return warnings;
}

function failoverWarnings({ synchronous_commit, synchronous_standby_names }: Settings): string[] {
  if ((synchronous_standby_names ?? '').trim() === '') {
    return [
      'PostgreSQL has no synchronous standby (synchronous_standby_names is empty): if its disk is lost, or another server takes over, the tasks that were accepted last are lost, and the nodes that have them stop.',
    ];
  }
  if (synchronous_commit === 'local') {
    return [
      'PostgreSQL runs with synchronous_commit = local: it does not wait for its standby, so a failover can lose the tasks that were accepted last, and the nodes that have them stop.',
    ];
  }
  if (synchronous_commit === 'remote_write') {
    return [
      'PostgreSQL runs with synchronous_commit = remote_write: a failover loses the tasks that were accepted last if the machine of the standby crashes at the same time.',
    ];
  }
  return [];
}
