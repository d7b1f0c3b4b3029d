import { type GivenValue, type GivenValues, OptionError } from '../option-values.js';

/** What `restore` makes a database of. */
export type RestoreOptions =
  /** A snapshot or dump, or the newest one whose key begins so. */
  | { readonly kind: 'copy'; readonly url: string }
  | {
      readonly kind: 'cluster';
      readonly objectsUrl: string;
      readonly logUrl: string | null;
      readonly at: RestoreMoment;
    };

/** `time`: in milliseconds since 1970. */
export type RestoreMoment =
  | { readonly kind: 'latest' }
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'time'; readonly atMs: number };

/** A date, or a date with a time and its zone. */
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** The own options of `restore`. Throws OptionError. */
export function readRestoreOptions(own: GivenValues): RestoreOptions {
  const url = own.get('from')?.text;
  if (url === undefined)
    throw new OptionError(
      'restore needs --from: s3://bucket/key of a snapshot or dump, or with --at the store of a cluster',
    );
  const at = own.get('at');
  const log = own.get('cluster-log');
  if (at === undefined) return { kind: 'copy', url };
  if (!/^(s3|file):/.test(url)) throw new OptionError('--from: with --at it is s3://bucket/prefix or file:///folder');
  return { kind: 'cluster', objectsUrl: url, logUrl: log === undefined ? null : readLog(log), at: readMoment(at) };
}

function readLog({ text, origin }: GivenValue): string | null {
  if (text === 's3') return null;
  // the text may contain a password
  if (!/^(postgres|postgresql|file):/.test(text))
    throw new OptionError(`${origin}: write postgres://user@host/database, s3 or file:///folder`);
  return text;
}

function readMoment({ text, origin }: GivenValue): RestoreMoment {
  if (text === 'latest') return { kind: 'latest' };
  if (/^\d{1,15}$/.test(text)) return { kind: 'position', position: Number(text) };
  const atMs = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs))
    throw new OptionError(
      `${origin}: \`${text}\` is neither latest, nor a position, nor a time such as 2026-01-31T12:00:00Z`,
    );
  return { kind: 'time', atMs };
}
