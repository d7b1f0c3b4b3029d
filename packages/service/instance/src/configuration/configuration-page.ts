import { ENVIRONMENT_ONLY, variableOf } from './environment.js';
import { type CommandSpec, IGNORED_OPTIONS, type OptionSpec, type OptionTable } from './option-table.js';

const INTRODUCTION = `# Configuration

Every option can be set on the command line (\`--db-path ./films\`), in the environment (\`FOSSICK_DB_PATH=./films\`, or
\`MEILI_DB_PATH\`, so that deployments of the reference engine need no change; where both are set, the first one counts) and in a TOML
file (\`db_path = "./films"\`). The command line overrides the environment, the environment the file, and the file the default.

The file is \`./config.toml\` if it exists, or the one given by \`--config-file-path\` or \`FOSSICK_CONFIG_FILE_PATH\`. An unknown key, a value
of the wrong type or an unreadable file prevents the start. Import options in the file are ignored, because an import belongs to a single
start.

Sizes are bytes (\`104857600\`) or have a unit (\`100 MB\`, \`100 MiB\`). A switch is on when its flag is there, its key is \`true\`, or its variable
is anything but \`n\`, \`no\`, \`f\`, \`false\`, \`off\`, \`0\`.

\`--version\` prints the version, \`--help\` a short form of this page. A wrong option ends the process with code 2 and a line that names it; a
start that fails (the folder or the address is in use) with code 1. SIGTERM ends a server gracefully: requests are answered, the running
batch is finished; SIGINT ends it at once (code 130 in a shell). Neither loses anything that was acknowledged.

\`--env production\` requires a master key of at least 16 bytes.

## Commands

\`fossick\` is \`npx fossick\` in a project that has the package, and \`node apps/server/bin/fossick.js\` in a checkout.

| command | what it does |
|---|---|
| \`fossick\` | starts the server |
| \`fossick check\` | verifies every byte of a database that no server has open: pages, checksums of rows, and whether the parts of an index agree; ends with code 1 when something is wrong |
| \`fossick export-static INDEX --out FOLDER\` | writes an index as files that pages search without a server ([browser.md](../guides/browser.md)) |
| \`fossick relevance FILE\` | runs judged searches on a running server and tells their nDCG; ends with code 1 when the mean is below \`atLeast\` of the file ([relevancy.md](relevancy.md#judged-searches)) |`;

const AFTER_COMMANDS = `
Each command takes the options of its database; \`fossick help COMMAND\` lists them.
`;

const KINDS: Readonly<Record<OptionSpec['kind'], string>> = {
  text: 'text',
  flag: 'switch',
  integer: 'number',
  bytes: 'size',
  optionalSeconds: 'switch or seconds',
};

/** The whole of docs/reference/configuration.md. */
export function configurationPage(table: OptionTable, commands: readonly CommandSpec[]): string {
  const groups = table.groups.map(({ title, options }) => `## ${title}\n\n${tableOf(options)}`);
  const environment = ENVIRONMENT_ONLY.map(([name, help]) => `| \`FOSSICK_${name}\` | ${help} |`);
  const ignored = IGNORED_OPTIONS.map(({ flag }) => `\`--${flag}\``);
  return [
    [INTRODUCTION, ...addedCommands(commands), AFTER_COMMANDS].join('\n'),
    ...groups,
    `## Environment only\n\nEach may also have the prefix \`MEILI_\`.\n\n| variable | meaning |\n|---|---|\n${environment.join('\n')}\n`,
    `## Accepted without effect\n\nA deployment of the reference engine that sets them still starts: ${ignored.join(', ')}.\n`,
    'This page is generated from the table of options (`packages/service/instance/src/configuration/option-table.ts`) and those of extensions:\n' +
      '`npx vitest run apps/server/src/extensions -u` writes it.\n',
  ].join('\n');
}

/** Rows of the commands that extensions add. */
function addedCommands(commands: readonly CommandSpec[]): string[] {
  const added = commands.filter(({ name }) => !INTRODUCTION.includes(`\`fossick ${name}`));
  return added.map(({ name, help, file, argument = 'file' }) => {
    const usage = file === undefined ? name : `${name} ${argument.toUpperCase()}`;
    return `| \`fossick ${usage}\` | ${help} |`;
  });
}

function tableOf(options: readonly OptionSpec[]): string {
  const rows = options.map((spec) => {
    const fallback = spec.fallback === undefined ? (spec.otherwise ?? '') : `\`${spec.fallback}\``;
    return `| \`--${spec.flag}\` | \`FOSSICK_${variableOf(spec)}\` | ${KINDS[spec.kind]} | ${fallback} | ${spec.help} |`;
  });
  return `| option | variable | kind | default | meaning |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}
