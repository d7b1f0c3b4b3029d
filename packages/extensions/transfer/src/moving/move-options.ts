import { type GivenValues, OptionError } from '@fossick/instance';

/** The options of `fossick move`. */
export interface MoveOptions {
  readonly from: string;
  readonly fromKey: string | null;
  /** Null: into the folder of the database. */
  readonly to: string | null;
  readonly toKey: string | null;
  /** Uids, or prefixes of uids followed by `*`; null: all of them, and the values of the whole instance. */
  readonly indexes: readonly string[] | null;
  readonly isReplacing: boolean;
  readonly isDryRun: boolean;
}

/** Throws OptionError. */
export function readMoveOptions(own: GivenValues): MoveOptions {
  const text = (flag: string): string | null => own.get(flag)?.text ?? null;
  const from = address(text('from'), '--from');
  if (from === null)
    throw new OptionError('move needs --from, the address of the instance to copy: http://localhost:7700');
  const to = address(text('to'), '--to');
  if (to !== null && new URL(to).href === new URL(from).href)
    throw new OptionError(`--to: \`${to}\` is what --from is; name another server`);
  const indexes = text('indexes')
    ?.split(',')
    .map((uid) => uid.trim())
    .filter((uid) => uid !== '');
  return {
    from,
    fromKey: text('from-key'),
    to,
    toKey: text('to-key'),
    indexes: indexes ?? null,
    isReplacing: own.has('replace'),
    isDryRun: own.has('dry-run'),
  };
}

function address(text: string | null, flag: string): string | null {
  if (text === null) return null;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new OptionError(`${flag}: \`${text}\` is no address of an instance; write http://localhost:7700`);
  return text;
}
