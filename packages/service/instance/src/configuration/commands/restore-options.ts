import { type GivenValues, OptionError } from '../option-values.js';

/** What `restore` makes a database of. */
export interface RestoreOptions {
  /** A snapshot or dump, or the newest one whose key begins so, unless the other options say more. */
  readonly url: string;
  /** All options of the command alone, of which extensions read theirs. */
  readonly given: GivenValues;
}

/** The own options of `restore`. Throws OptionError. */
export function readRestoreOptions(given: GivenValues): RestoreOptions {
  const url = given.get('from')?.text;
  if (url === undefined)
    throw new OptionError('restore needs --from: s3://bucket/key of a snapshot or dump, or the store that --at reads');
  return { url, given };
}
