import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Environment, variableOf } from '../environment.js';
import { CORE_OPTIONS, type OptionKind, OptionTable } from '../option-table.js';
import { type GivenValues, gatherValues } from '../option-values.js';
import { commandsOf, readCommandLine } from './command-line.js';
import { readInvocation } from './invocation.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-options-'));
afterAll(() => rmSync(folder, { recursive: true }));

let fileCount = 0;
/** A config file with this text. */
function fileWith(toml: string): string {
  const file = join(folder, `${fileCount++}.toml`);
  writeFileSync(file, toml);
  return file;
}
/** Three values of each kind: as text, and as TOML has them. */
const SAMPLES: Readonly<Record<OptionKind, readonly (readonly [text: string, toml: string])[]>> = {
  text: [
    ['a', '"a"'],
    ['b', '"b"'],
    ['c', '"c"'],
  ],
  flag: [
    ['true', 'true'],
    ['true', 'true'],
    ['true', 'true'],
  ],
  integer: [
    ['7', '7'],
    ['8', '8'],
    ['9', '9'],
  ],
  bytes: [
    ['1 MB', '"1 MB"'],
    ['2MiB', '2097152'],
    ['3', '3'],
  ],
  optionalSeconds: [
    ['60', '60'],
    ['70', '70'],
    ['80', '80'],
  ],
};
const given = (argv: readonly string[]): GivenValues => readCommandLine(argv, CORE_OPTIONS).given;
const readServerOptions = (argv: readonly string[], env: Environment) => readInvocation(argv, env).options;

describe('every option', () => {
  it.each(
    CORE_OPTIONS.all.map((spec) => [spec.flag, spec] as const),
  )('%s is set by flag, environment and file, in this order', (flag, spec) => {
    const [first, second, third] = SAMPLES[spec.kind];
    const key = flag.replaceAll('-', '_');
    const isOfOneStart = /^(import|ignore)-/.test(flag);
    const line = given(spec.kind === 'flag' ? [`--${flag}`] : [`--${flag}`, first![0]]);
    const file = fileWith(`${key} = ${third![1]}`);
    const env = (name: string, text: string): Environment => ({ [name + variableOf(spec)]: text });
    const inFile = { FOSSICK_CONFIG_FILE_PATH: file };
    const text = (values: GivenValues, from: Environment): string | null => {
      const read = gatherValues(values, from, CORE_OPTIONS);
      return read.has(flag) ? read.text(flag) : null;
    };
    const none: GivenValues = new Map();
    expect(text(none, {})).toBe(null);
    const ofFile = spec.kind === 'bytes' ? third![0] : third![0];
    expect(text(none, inFile)).toBe(isOfOneStart ? null : ofFile);
    expect(text(none, env('MEILI_', second![0]))).toBe(second![0]);
    expect(text(none, { ...env('MEILI_', third![0]), ...env('FOSSICK_', second![0]), ...inFile })).toBe(second![0]);
    expect(text(line, { ...env('FOSSICK_', second![0]), ...inFile })).toBe(first![0]);
  });
});

describe('defaults', () => {
  it('are what the table says', () => {
    const options = readServerOptions([], { FOSSICK_CONFIG_FILE_PATH: fileWith('') });
    expect(options).toMatchObject({
      dbPath: './data.fossick',
      hasSample: false,
      host: 'localhost',
      port: 7700,
      masterKey: null,
      isProduction: false,
      payloadLimitBytes: 100_000_000,
      readLimitBytes: 10_000_000,
      heldBodyBytes: 200_000_000,
      remoteAnswerLimitBytes: 64 * 2 ** 20,
      logLevel: 'info',
      logMode: 'human',
      countsUsage: true,
      searchQueueCapacity: 1000,
      searchWaitMaxMs: 60_000,
      maxBatchedTaskCount: null,
      embedderRequestsPerMinute: null,
      tls: null,
    });
    expect(options.warnings).toHaveLength(1);
  });
});

describe('invalid options are rejected with their source', () => {
  const long = 'a-master-key-of-some-length';
  const cases: readonly (readonly [what: string, argv: readonly string[], env: Environment, message: string])[] = [
    ['unknown flag', ['--db-pat', 'x'], {}, "unknown option '--db-pat' (Did you mean --db-path?)"],
    ['unknown command', ['chek'], {}, 'did you mean check?'],
    ['a server by name', ['serve'], {}, 'without one a server starts'],
    ['help on an unknown command', ['help', 'chek'], {}, 'there is no command `chek`; did you mean check?'],
    ['missing value', ['--db-path'], {}, 'argument missing'],
    ['a word too many', ['check', 'x'], {}, 'Expected 0 arguments but got 1; see fossick check --help'],
    ['export of nothing', ['export-static'], {}, "missing required argument 'index'"],
    ['address', ['--http-addr', 'here'], {}, '--http-addr: `here` is not an address'],
    ['port', ['--http-addr', 'a:65536'], {}, 'is not an address'],
    ['port of no digits', ['--http-addr', 'a:'], {}, 'is not an address'],
    ['size', [], { MEILI_MAX_INDEXING_MEMORY: 'much' }, 'MEILI_MAX_INDEXING_MEMORY: `much` is not a size'],
    ['number', [], { FOSSICK_SEARCH_THREADS: '-1' }, 'FOSSICK_SEARCH_THREADS: `-1` is not a non-negative integer'],
    ['empty number', [], { FOSSICK_SEARCH_THREADS: '' }, 'is not a non-negative integer'],
    ['environment', ['--env', 'staging'], {}, '--env: `staging` is none of development, production'],
    ['log level', ['--log-level', 'LOUD'], {}, 'is none of OFF, ERROR'],
    ['log mode', ['--experimental-logs-mode', 'XML'], {}, 'is none of human, json'],
    ['production without a key', ['--env', 'production'], {}, 'no master key is set'],
    ['production with a short key', ['--env', 'production', '--master-key', 'short'], {}, 'shorter than 16 bytes'],
    ['half of TLS', ['--ssl-cert-path', 'a'], {}, 'go together'],
    ['usage data', ['--usage-data-url', 'ftp://x'], {}, 'is not a URL'],
    ['networks', ['--experimental-allowed-ip-networks', '300.1.1.1/8'], {}, '--experimental-allowed-ip-networks: '],
    ['missing file', ['--config-file-path', '/nowhere.toml'], {}, '/nowhere.toml does not exist'],
    ['folder as file', ['--config-file-path', folder], {}, 'cannot be read: EISDIR'],
  ];
  it.each(cases)('%s', (_what, argv, env, message) => {
    expect(() => readInvocation(argv, env)).toThrow(message);
  });
  it.each([
    ['db_path = ', 'line 1, column 11'],
    ['db_pth = "x"', 'unknown option `db_pth`; did you mean `db_path`?'],
    ['config_file_path = "x"', 'cannot be set in a config file'],
    ['db_path = 7', 'db_path in '],
    ['no_analytics = "yes"', 'it must be true or false, but it is `"yes"`'],
    ['search_threads = "2"', 'it must be a number'],
    ['max_indexing_memory = [1]', 'it must be a size'],
    ['[db]\npath = "x"', 'unknown option `db`'],
  ])('in a file: %s', (toml, message) => {
    expect(() => readInvocation(['--config-file-path', fileWith(toml)], {})).toThrow(message);
  });
  it('one line each', () => {
    for (const [, argv, env] of cases) {
      let message = '';
      try {
        readInvocation(argv, env);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).not.toContain('\n');
    }
  });
  it('but a long enough key is fine, and so are other commands without one', () => {
    expect(readServerOptions(['--env', 'production', '--master-key', long], {}).warnings).toEqual([]);
    expect(readInvocation(['check', '--db-path', 'x'], { FOSSICK_ENV: 'production' })).toMatchObject({
      command: 'check',
      options: { dbPath: 'x' },
    });
  });
  it('a variable that resembles an option is reported, others are not', () => {
    const { warnings } = readServerOptions([], {
      FOSSICK_DB_PATHS: 'x',
      FOSSICK_SERVICE_HOST: 'y',
      MEILI_HOME_PAGE: 'z',
    });
    expect(warnings.filter((line) => line.includes('no meaning'))).toEqual([
      'the variable FOSSICK_DB_PATHS has no meaning; FOSSICK_DB_PATH has',
    ]);
  });
});

it('restore says what --from is as the source does that is asked last', () => {
  const restoring = ['a log', 'a copy'].map((help) => ({ help, from: `address of ${help}`, options: [] }));
  expect(commandsOf(CORE_OPTIONS).map(({ name }) => name)).not.toContain('restore');
  expect(commandsOf(new OptionTable([], { restoring })).at(-1)).toMatchObject({
    name: 'restore',
    help: 'make a database out of a log, or out of a copy',
    own: [{ term: '--from <url>', help: 'address of a copy' }],
  });
});
