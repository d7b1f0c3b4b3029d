import { type GivenValue, OptionError } from '@fossick/instance';
import { readS3Credentials } from '@fossick/objects/s3/credentials';
import type { RestoreSource } from '@fossick/runtime/extension';
import type { RestorePoint } from './checkpoints/restore-database.js';

/** A date, or a date with a time and its zone. */
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** `fossick restore --at`: the database of a single server out of a cluster, as it was at some moment. */
export const CLUSTER_RESTORE: RestoreSource = {
  help: 'a cluster',
  from: 'what --cluster-objects says',
  options: [
    {
      term: '--at <moment>',
      help: 'restore a cluster as it was: latest, a position of its log, or a time (2026-01-31T12:00:00Z); --from is then what --cluster-objects says',
    },
    {
      term: '--cluster-log <url>',
      help: 'with --at: the log of the cluster, when it is not in its store of objects',
      variable: 'FOSSICK_CLUSTER_LOG',
    },
  ],
  read(objectsUrl, { own, options: { values } }) {
    const [at, log] = [own.get('at'), own.get('cluster-log')];
    if (at === undefined) return undefined;
    if (!/^(s3|file):/.test(objectsUrl))
      throw new OptionError('--from: with --at it is s3://bucket/prefix or file:///folder');
    const logUrl = log === undefined ? null : readLog(log);
    const moment = readMoment(at);
    // null too for an option of an extension that is not there
    const given = (flag: string): string | null => (values.has(flag) ? values.text(flag) : null);
    const s3 = {
      region: given('s3-bucket-region'),
      endpoint: given('s3-bucket-url'),
      credentials: readS3Credentials(given, (problem) => new OptionError(problem)),
    };
    return async (dbPath) => {
      const { restoreFromCluster } = await import('./checkpoints/restore-database.js');
      const { position, isEnd } = await restoreFromCluster({ objectsUrl, logUrl, lingerMs: 0, s3 }, dbPath, moment);
      return `restored up to position ${position} of the log${isEnd ? ', its end' : ''}`;
    };
  },
};

function readLog({ text, origin }: GivenValue): string | null {
  if (text === 's3') return null;
  // the text may contain a password
  if (!/^(postgres|postgresql|file):/.test(text))
    throw new OptionError(`${origin}: write postgres://user@host/database, s3 or file:///folder`);
  return text;
}

function readMoment({ text, origin }: GivenValue): RestorePoint {
  if (text === 'latest') return { kind: 'latest' };
  if (/^\d{1,15}$/.test(text)) return { kind: 'position', position: Number(text) };
  const atMs = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs))
    throw new OptionError(
      `${origin}: \`${text}\` is neither latest, nor a position, nor a time such as 2026-01-31T12:00:00Z`,
    );
  return { kind: 'time', atMs };
}
