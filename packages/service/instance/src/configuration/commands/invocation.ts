import { folderWarnings } from '../default-folder.js';
import { type Environment, misspeltVariables } from '../environment.js';
import { checkMasterKey } from '../option-readers.js';
import { type OptionGroup, OptionTable, type RestoreHelp } from '../option-table.js';
import { type GivenValues, gatherValues, OptionError } from '../option-values.js';
import { checkS3Bucket } from '../s3-options.js';
import { resolveOptions, type ServerOptions } from '../server-options.js';
import { type CommandName, readCommandLine } from './command-line.js';
import { type MoveOptions, readMoveOptions } from './move-options.js';
import { type RestoreOptions, readRestoreOptions } from './restore-options.js';

/** The command of the process, and its options. */
export interface Invocation {
  readonly command: CommandName;
  /** The file for `import` and `relevance`, the index for `export-static`. */
  readonly file: string | null;
  /** The options of `move`. */
  readonly move: MoveOptions | null;
  /** The options of `restore`. */
  readonly restore: RestoreOptions | null;
  /** The folder of the files of `export-static`. */
  readonly out?: string;
  /** The server of `relevance`. */
  readonly server?: { readonly url: string; readonly key: string | null };
  readonly options: ServerOptions;
}

/**
 * Command line over environment over config file over defaults. `FOSSICK_X` takes precedence over `MEILI_X`. Throws
 * OptionError, and CommanderError with the exit code 0 when help or the version was printed. `ofExtensions` and `restoring`: what extensions add.
 */
export function readInvocation(
  argv: readonly string[],
  env: Environment,
  ofExtensions: readonly OptionGroup[] = [],
  restoring: readonly RestoreHelp[] = [],
): Invocation {
  const table = new OptionTable(ofExtensions, restoring);
  const { command, file, given, own } = readCommandLine(argv, table);
  if (command === 'export-static')
    return {
      ...{ command, file, move: null, restore: null, out: readOut(own) },
      options: resolveOptions(gatherValues(given, env, table)),
    };
  if (command === 'relevance')
    return {
      ...{ command, file, move: null, restore: null, server: readServer(own) },
      options: resolveOptions(gatherValues(given, env, table)),
    };
  const restore = command === 'restore' ? readRestoreOptions(own) : null;
  const move = command === 'move' ? readMoveOptions(own) : null;
  const values = gatherValues(given, env, table);
  const options = resolveOptions(values);
  if (command !== 'start') return { command, file, move, restore, options };
  checkS3Bucket(values);
  const warnings = [
    ...checkMasterKey(options.masterKey, options.isProduction),
    ...misspeltVariables(env, table),
    ...(values.has('db-path') ? [] : folderWarnings(options.dbPath)),
  ];
  return { command, file, move, restore, options: { ...options, warnings } };
}

function readOut(own: GivenValues): string {
  const text = own.get('out')?.text;
  if (text === undefined) throw new OptionError('export-static needs --out, the folder of the files');
  return text;
}

function readServer(own: GivenValues): NonNullable<Invocation['server']> {
  const url = own.get('url')?.text ?? 'http://127.0.0.1:7700';
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new OptionError('--url: write http://host:port or https://host');
  return { url: url.replace(/\/+$/, ''), key: own.get('key')?.text ?? null };
}
