import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { parseByteSize } from '@fossick/api';
import { closestName } from '@fossick/base/closest-name';
import { parse as parseToml, TomlError } from 'smol-toml';
import { type Environment, fromEnvironment, variableOf } from './environment.js';
import { CORE_OPTIONS, type OptionSpec, type OptionTable } from './option-table.js';

/** An invalid start-up option; its message is for the terminal. */
export class OptionError extends Error {}

/** The value of an option, and where it was set, in the operator's terms. */
export interface GivenValue {
  readonly text: string;
  readonly origin: string;
}
/** By flag. */
export type GivenValues = ReadonlyMap<string, GivenValue>;

const FALSE_WORDS = new Set(['n', 'no', 'f', 'false', 'off', '0']);
/** Read if it exists and no other file is named. */
const DEFAULT_CONFIG_FILE = './config.toml';

/** The options of a start, from all sources. Readers throw OptionError, which names the source. */
export class OptionValues {
  private readonly given: GivenValues;
  private readonly table: OptionTable;

  constructor(given: GivenValues, table: OptionTable = CORE_OPTIONS) {
    this.given = given;
    this.table = table;
  }

  /** The same options, none of which is given. */
  withoutValues(): OptionValues {
    return new OptionValues(new Map(), this.table);
  }

  has(flag: string): boolean {
    return this.given.has(flag);
  }
  /** The given value, or the option's default. */
  text(flag: string): string | null {
    return this.given.get(flag)?.text ?? this.specOf(flag).fallback ?? null;
  }
  /** Bytes. */
  bytes(flag: string): number | null {
    const text = this.text(flag);
    if (text === null) return null;
    const size = parseByteSize(text);
    if (size === undefined) throw this.wrong(flag, 'is not a size; write 104857600 or 100 MB');
    return size;
  }
  integer(flag: string): number | null {
    const text = this.text(flag);
    if (text === null) return null;
    const value = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
      throw this.wrong(flag, 'is not a non-negative integer');
    return value;
  }
  /** The error of a value, whose text `reason` completes. */
  wrong(flag: string, reason: string): OptionError {
    return new OptionError(`${this.originOf(flag)}: \`${this.text(flag) ?? ''}\` ${reason}`);
  }
  originOf(flag: string): string {
    return this.given.get(flag)?.origin ?? `--${flag}`;
  }

  private specOf(flag: string): OptionSpec {
    const spec = this.table.find(flag);
    if (spec === undefined) throw new Error(`there is no option ${flag}`);
    return spec;
  }
}

/** Command line over environment over config file. Throws OptionError. */
export function gatherValues(line: GivenValues, env: Environment, table: OptionTable): OptionValues {
  const file = line.get('config-file-path')?.text ?? fromEnvironment(env, 'CONFIG_FILE_PATH')?.text;
  return new OptionValues(new Map([...readConfigFile(file, table), ...readEnvironment(env, table), ...line]), table);
}

function readEnvironment(env: Environment, table: OptionTable): GivenValues {
  const values = new Map<string, GivenValue>();
  for (const spec of table.all) {
    const found = fromEnvironment(env, variableOf(spec));
    if (found === undefined) continue;
    const { text, variable } = found;
    const isOff = FALSE_WORDS.has(text.toLowerCase());
    if (isOff && (spec.kind === 'flag' || spec.kind === 'optionalSeconds')) continue;
    values.set(spec.flag, { text: spec.kind === 'flag' ? 'true' : text, origin: variable });
  }
  return values;
}

function readConfigFile(path: string | undefined, table: OptionTable): GivenValues {
  const file = path ?? DEFAULT_CONFIG_FILE;
  const values = new Map<string, GivenValue>();
  for (const [key, value] of Object.entries(tableOf(file, path !== undefined))) {
    const origin = `${key} in ${file}`;
    const flag = key.replaceAll('_', '-');
    const spec = table.find(flag);
    if (spec === undefined) throw new OptionError(unknownKey(file, key, table));
    const text = textOf(spec, value, origin);
    // as in the reference, an import belongs to one start and not to the configuration
    if (flag.startsWith('import-') || flag.startsWith('ignore-')) continue;
    if (text !== null) values.set(flag, { text, origin });
  }
  return values;
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The table of a TOML file; empty when there is none and none was named. */
function tableOf(file: string, isNamed: boolean): Record<string, unknown> {
  if (!existsSync(file)) {
    if (isLink(file))
      throw new OptionError(
        `the config file ${file} is a link that leads nowhere: bring back what it leads to, or name another file with --config-file-path`,
      );
    if (!isNamed) return {};
    throw new OptionError(`the config file ${file} does not exist; name one that does with --config-file-path`);
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionError(
      `the config file ${file} cannot be read: ${(error as Error).message}; name another one with --config-file-path`,
    );
  }
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.split('\n');
    throw new OptionError(`${file}, line ${error.line}, column ${error.column}: ${reason}`);
  }
}

function unknownKey(file: string, key: string, table: OptionTable): string {
  if (key === 'config_file_path') return `${file}: \`config_file_path\` cannot be set in a config file`;
  const near = closestName(
    key,
    table.all.map(({ flag }) => flag.replaceAll('-', '_')),
  );
  return `${file}: unknown option \`${key}\`${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
}

/** A value of a config file in the command line's form; null: not set. Throws OptionError for another type. */
function textOf({ kind }: OptionSpec, value: unknown, origin: string): string | null {
  const refuse = (expected: string): OptionError =>
    new OptionError(`${origin}: it must be ${expected}, but it is \`${JSON.stringify(value)}\``);
  switch (kind) {
    case 'flag':
      if (typeof value !== 'boolean') throw refuse('true or false');
      return value ? 'true' : null;
    case 'optionalSeconds':
      if (typeof value !== 'boolean' && typeof value !== 'number') throw refuse('true, false or a number of seconds');
      return value === false ? null : String(value);
    case 'integer':
      if (typeof value !== 'number') throw refuse('a number');
      return String(value);
    case 'bytes':
      if (typeof value !== 'number' && typeof value !== 'string') throw refuse('a size, 104857600 or "100 MB"');
      return String(value);
    case 'text':
      if (typeof value !== 'string') throw refuse('a text, in quotes');
      return value;
  }
}
