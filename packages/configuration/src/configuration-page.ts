import { ENVIRONMENT_ONLY, variableOf } from './environment.js';
import { IGNORED_OPTIONS, OPTION_GROUPS, type OptionSpec } from './option-table.js';

const INTRODUCTION = `# Configuration

Every option can be set on the command line (\`--db-path ./films\`), by the environment (\`FOSSICK_DB_PATH=./films\`, or its twin
\`MEILI_DB_PATH\`, so that a deployment moves over unchanged; where both are set the first counts) and in a TOML file
(\`db_path = "./films"\`). The command line wins over the environment, the environment over the file, the file over the default.

The file is \`./config.toml\` where there is one, or the one that \`--config-file-path\` or \`FOSSICK_CONFIG_FILE_PATH\` names. An unknown
key, a value of the wrong type or a file that cannot be read ends the start. Options of an import are read in the file and not followed:
they are a matter of one start.

Sizes are bytes (\`104857600\`) or have a unit (\`100 MB\`, \`100 MiB\`). A switch is on when its flag is there, its key is \`true\`, or its variable
is anything but \`n\`, \`no\`, \`f\`, \`false\`, \`off\`, \`0\`.

\`--version\` prints the version, \`--help\` this in short. A wrong option ends the process with the code 2 and a line that says which; a start that
cannot be (a folder that is in use, an address that is taken) with the code 1. SIGTERM ends a server gracefully: requests are answered, the
running batch is finished; SIGINT ends it at once with the code 130, and nothing acknowledged is lost by either.

With \`--env production\` a master key of at least 16 bytes is asked for.

## Commands

| command | what it does |
|---|---|
| \`fossick\` | starts the server |
| \`fossick check\` | looks at every byte of a database that no server has open: pages, sums of rows, and what the parts of an index say of one another; ends with the code 1 when something is wrong |
| \`fossick dump\` | writes a dump of a database that no server has open, and prints its path |
| \`fossick snapshot\` | writes a snapshot of it, and prints its path |
| \`fossick import FILE\` | makes a database out of a dump, or of a snapshot (a file that ends in \`.snapshot\`) |
| \`fossick move\` | copies a running Meilisearch or Fossick to a server, or into the folder of a database ([moving-over.md](moving-over.md)) |

Each takes the options of the database it is about; \`fossick help COMMAND\` lists them.
`;

const KINDS: Readonly<Record<OptionSpec['kind'], string>> = {
  text: 'text',
  flag: 'switch',
  integer: 'number',
  bytes: 'size',
  optionalSeconds: 'switch or seconds',
};

/** The whole of docs/configuration.md. */
export function configurationPage(): string {
  const groups = OPTION_GROUPS.map(({ title, options }) => `## ${title}\n\n${tableOf(options)}`);
  const environment = ENVIRONMENT_ONLY.map(([name, help]) => `| \`FOSSICK_${name}\` | ${help} |`);
  const ignored = IGNORED_OPTIONS.map(({ flag }) => `\`--${flag}\``);
  return [
    INTRODUCTION,
    ...groups,
    `## By the environment alone\n\nEach has its twin with \`MEILI_\`.\n\n| variable | meaning |\n|---|---|\n${environment.join('\n')}\n`,
    `## Accepted without effect\n\nA deployment of the reference engine that sets them still starts: ${ignored.join(', ')}.\n`,
    'This page is made from the table of options (`packages/configuration/src/option-table.ts`):\n' +
      '`npx vitest run packages/configuration/src -u` writes it anew.\n',
  ].join('\n');
}

function tableOf(options: readonly OptionSpec[]): string {
  const rows = options.map((spec) => {
    const fallback = spec.fallback === undefined ? (spec.otherwise ?? '') : `\`${spec.fallback}\``;
    return `| \`--${spec.flag}\` | \`FOSSICK_${variableOf(spec)}\` | ${KINDS[spec.kind]} | ${fallback} | ${spec.help} |`;
  });
  return `| option | variable | kind | default | meaning |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}
