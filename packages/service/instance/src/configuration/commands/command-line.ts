import { API_VERSION, PRODUCT_VERSION } from '@fossick/api';
import { own } from '@fossick/base';
import { closestName } from '@fossick/base/closest-name';
import { Argument, Command, CommanderError, Option } from 'commander';
import { type CommandSpec, IGNORED_OPTIONS, type OptionSpec, type OptionTable } from '../option-table.js';
import { type GivenValue, type GivenValues, OptionError } from '../option-values.js';

export interface CommandLine {
  /** `start`, or the name of a command. */
  readonly command: string;
  /** Its argument. */
  readonly file: string | null;
  /** Options of the common table, which the environment and a file may also set. */
  readonly given: GivenValues;
  /** Options of this command only, by flag. */
  readonly own: GivenValues;
}

const MEMORY = ['max-search-memory'];
const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'check',
    help: 'look at every byte of a database: sums, pages, and what its parts say of one another',
    flags: ['db-path', ...MEMORY],
  },
  {
    name: 'export-static',
    help: 'write an index of a database that no server has open as files for pages, which search it without a server',
    flags: ['db-path', ...MEMORY],
    file: 'the index',
    argument: 'index',
    own: [{ term: '--out <folder>', help: 'where the files go; files of earlier exports stay' }],
  },
  {
    name: 'relevance',
    help: 'run the searches of a file on a running server, and tell how good their hits are by what people judged',
    flags: [],
    file: 'the file of judged searches, which the dashboard writes',
    own: [
      { term: '--url <url>', help: 'address of the server (default: http://127.0.0.1:7700)' },
      { term: '--key <key>', help: 'a key that may search', variable: 'FOSSICK_KEY' },
    ],
  },
];
/** Columns of `--help` if the terminal does not report them. */
const HELP_COLUMNS = 100;

/**
 * Parses the command line. Throws OptionError for errors, and CommanderError with the exit code 0 after printing the
 * requested text (`--help`, `--version`).
 */
export function readCommandLine(argv: readonly string[], table: OptionTable): CommandLine {
  const [first = '', second = ''] = argv;
  const asked = first === 'help' ? second : first;
  const names = commandsOf(table).map(({ name }) => name);
  if (/^[a-z]/i.test(asked) && ![...names, 'help'].includes(asked)) {
    const near = closestName(asked, names);
    throw new OptionError(
      `there is no command \`${asked}\`; ${near === undefined ? `there are ${names.join(', ')}; without one a server starts` : `did you mean ${near}?`}`,
    );
  }
  let found: CommandLine | undefined;
  const program = newProgram(table, (line) => {
    found = line;
  });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode === 0) throw error;
    const help = names.includes(first) ? `fossick ${first} --help` : 'fossick --help';
    throw new OptionError(`${error.message.replace(/^error: |\.$/g, '').replaceAll('\n', ' ')}; see ${help}`);
  }
  return found!;
}

function newProgram(table: OptionTable, onFound: (line: CommandLine) => void): Command {
  const program = prepared(new Command('fossick'))
    .description('A search engine server. Without a command it starts and serves until it is told to stop.')
    .usage('[options]\n       fossick <command> [options]')
    .version(`fossick ${PRODUCT_VERSION} (API ${API_VERSION})`, '--version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [command]', 'print what a command takes')
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nEvery option may also be set by the environment (--db-path: FOSSICK_DB_PATH or MEILI_DB_PATH) or in a TOML file\n' +
        '(db_path = "./films"). The command line wins over the environment, the environment over the file.\n' +
        'Options that are accepted without effect are listed in docs/reference/configuration.md.',
    );
  for (const { title, options } of table.groups)
    for (const spec of options) program.addOption(optionOf(spec).helpGroup(`${title}:`));
  for (const spec of IGNORED_OPTIONS) program.addOption(optionOf(spec).hideHelp());
  program.addOption(configFile().helpGroup(`${table.groups[0]!.title}:`));
  program.action(() => onFound({ command: 'start', file: null, given: givenOf(program), own: new Map() }));
  for (const { name, help, flags, file, argument = 'file', own: owned = [] } of commandsOf(table)) {
    const command = prepared(program.command(name)).description(help).helpOption('-h, --help', 'print this');
    for (const flag of flags) command.addOption(optionOf(table.find(flag)!));
    command.addOption(configFile());
    for (const { term, help: says, variable } of owned) {
      const option = new Option(term, says);
      command.addOption(variable === undefined ? option : option.env(variable));
    }
    if (file !== undefined) command.addArgument(new Argument(`<${argument}>`, file));
    command.action(() => {
      const all = new Map([...givenOf(program), ...givenOf(command)]);
      const isOwn = (flag: string): boolean => owned.some(({ term }) => term.split(' ')[0] === `--${flag}`);
      const given = new Map([...all].filter(([flag]) => !isOwn(flag)));
      onFound({
        command: name,
        file: command.args[0] ?? null,
        given,
        own: new Map([...all].filter(([flag]) => isOwn(flag))),
      });
    });
  }
  return program;
}

/** All commands: `restore` is there when there is something that it makes a database of. */
export function commandsOf({ commands, restoring }: OptionTable): readonly CommandSpec[] {
  if (restoring.length === 0) return [...COMMANDS, ...commands];
  const restore: CommandSpec = {
    name: 'restore',
    help: `make a database out of ${restoring.map(({ help }) => help).join(', or out of ')}`,
    flags: ['db-path', 'max-indexing-memory', ...restoring.flatMap(({ flags = [] }) => flags), ...MEMORY],
    own: [{ term: '--from <url>', help: restoring.at(-1)!.from }, ...restoring.flatMap(({ options }) => options)],
  };
  return [...COMMANDS, ...commands, restore];
}

function prepared(command: Command): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .configureHelp({ helpWidth: process.stdout.columns ?? HELP_COLUMNS })
    .configureOutput({ outputError: () => undefined });
}

function configFile(): Option {
  return new Option('--config-file-path <text>', 'TOML file of options (default: ./config.toml if it is there)');
}

/** commander treats `--no-x` as the negation of `--x`; a flag of its own keeps the name. */
function optionOf(spec: OptionSpec): Option {
  const value = { flag: '', text: ' <text>', integer: ' <number>', bytes: ' <size>', optionalSeconds: ' [seconds]' };
  const fallback = spec.fallback ?? spec.otherwise;
  return new Option(
    `--${spec.flag}${value[spec.kind]}`,
    `${spec.help}${fallback === undefined ? '' : ` (default: ${fallback})`}`,
  );
}

function givenOf(command: Command): GivenValues {
  const values = new Map<string, GivenValue>();
  const given = command.opts<Record<string, string | boolean>>();
  for (const option of command.options) {
    const flag = option.long!.slice(2);
    const value = own(given, option.attributeName());
    const isGiven = option.negate ? value === false : value !== undefined && value !== false;
    if (isGiven) values.set(flag, { text: String(option.negate ? true : value), origin: `--${flag}` });
  }
  return values;
}
