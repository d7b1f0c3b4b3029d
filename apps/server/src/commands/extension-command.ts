import { OptionError, type ServerOptions } from '@fossick/instance';
import type { Invocation } from '@fossick/instance/invocation';
import { loadArchivedValues } from '@fossick/runtime';
import type { CommandHost } from '@fossick/runtime/extension';
import { EXTENSIONS } from '../extensions/extension-list.js';
import { archiveModulesOf } from '../extensions/served-extensions.js';
import { startServer } from '../start-server.js';
import { withOpenedDatabase } from './closed-database.js';

/** Runs a command of an extension; false: not all of it was done. Throws OptionError, LaunchError and ApiError. */
export async function runExtensionCommand(invocation: Invocation): Promise<boolean> {
  for (const { name, commands = [] } of EXTENSIONS) {
    const found = commands.find((command) => command.name === invocation.command);
    if (found === undefined) continue;
    refuseLeftOut(name, found.name, invocation.options);
    return found.run(commandHost(invocation));
  }
  throw new Error(`no extension has the command ${invocation.command}`);
}

/** Throws OptionError when the extension of a command is left out. */
export function refuseLeftOut(extension: string, command: string, { extensions, values }: ServerOptions): void {
  if (extensions?.includes(extension) === false)
    throw new OptionError(
      `the command ${command} belongs to the extension ${extension}, which ${values.originOf('extensions')} leaves out`,
    );
}

export function commandHost({ options, file, own }: Invocation): CommandHost {
  return {
    options,
    file,
    own,
    moves: EXTENSIONS.flatMap((extension) => extension.move?.bind(extension) ?? []),
    archived: () => loadArchivedValues(archiveModulesOf(EXTENSIONS)),
    withDatabase: (work) => withOpenedDatabase(options, work),
    async startServer(changed) {
      const { facts, close } = await startServer(changed);
      return { url: facts.url, close };
    },
  };
}
