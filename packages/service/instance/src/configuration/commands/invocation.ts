import { folderWarnings } from '../default-folder.js';
import { type Environment, misspeltVariables } from '../environment.js';
import { checkMasterKey } from '../option-readers.js';
import { type AddedCommands, type OptionGroup, OptionTable } from '../option-table.js';
import { type GivenValues, gatherValues, OptionError } from '../option-values.js';
import { resolveOptions, type ServerOptions } from '../server-options.js';
import { readCommandLine } from './command-line.js';

/** The command of the process, and its options. */
export interface Invocation {
  /** `start`, or the name of a command. */
  readonly command: string;
  /** Its argument. */
  readonly file: string | null;
  /** The options of that command alone. */
  readonly own: GivenValues;
  readonly options: ServerOptions;
}

/**
 * Command line over environment over config file over defaults. `FOSSICK_X` takes precedence over `MEILI_X`. Throws
 * OptionError, and CommanderError with the exit code 0 when help or the version was printed. `ofExtensions` and `added`: what extensions add.
 */
export function readInvocation(
  argv: readonly string[],
  env: Environment,
  ofExtensions: readonly OptionGroup[] = [],
  added: AddedCommands = {},
): Invocation {
  const table = new OptionTable(ofExtensions, added);
  const { command, file, given, own } = readCommandLine(argv, table);
  const values = gatherValues(given, env, table);
  const options = resolveOptions(values);
  if (command !== 'start') return { command, file, own, options };
  const warnings = [
    ...checkMasterKey(options.masterKey, options.isProduction),
    ...misspeltVariables(env, table),
    ...(values.has('db-path') ? [] : folderWarnings(options.dbPath)),
  ];
  return { command, file, own, options: { ...options, warnings } };
}

/** `--out` of `export-static`. Throws OptionError. */
export function readOut(own: GivenValues): string {
  const text = own.get('out')?.text;
  if (text === undefined) throw new OptionError('export-static needs --out, the folder of the files');
  return text;
}

/** `--url` and `--key` of `relevance`. Throws OptionError. */
export function readServer(own: GivenValues): { readonly url: string; readonly key: string | null } {
  const url = own.get('url')?.text ?? 'http://127.0.0.1:7700';
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new OptionError('--url: write http://host:port or https://host');
  return { url: url.replace(/\/+$/, ''), key: own.get('key')?.text ?? null };
}
