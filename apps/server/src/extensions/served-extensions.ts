import { closestName } from '@fossick/base/closest-name';
import { OptionError, type ServerOptions } from '@fossick/instance';
import type { ConfiguredExtension, Extension } from '@fossick/runtime/extension';
import type { TaskKind } from '@fossick/tasks';

/** An extension that has read its options. */
export interface ServedExtension {
  readonly name: string;
  readonly features: readonly string[];
  readonly writer: URL | undefined;
  readonly configured: ConfiguredExtension;
}

/**
 * Those of `all` that the options name. Throws OptionError for a name that there is not, for options of theirs, for vital options of
 * those that are left out, and for two shared logs.
 */
export function servedExtensions(all: readonly Extension[], options: ServerOptions): ServedExtension[] {
  const names = all.map(({ name }) => name);
  for (const name of options.extensions ?? []) if (!names.includes(name)) throw unknownExtension(name, names, options);
  const [vital] = idleOptionsOf(all, options, true);
  if (vital !== undefined) throw new OptionError(refusalOf(vital, options));
  const served = all
    .filter(({ name }) => options.extensions?.includes(name) ?? true)
    .map((extension) => {
      const { name, features = [], writer } = extension;
      return { name, features, writer, configured: extension.configure(options.values) };
    });
  const logs = served.filter(({ configured }) => configured.openLog !== undefined).map(({ name }) => name);
  if (logs.length < 2) return served;
  throw new OptionError(
    `the extensions ${logs.join(' and ')} each have a log that servers share, and a server has one: leave all but one out (--extensions)`,
  );
}

/** The kinds of tasks that they add: also those that are left out have theirs. */
export function taskKindsOf(all: readonly Extension[]): TaskKind[] {
  return all.flatMap(({ taskKinds = [] }) => taskKinds);
}

/** The addresses of the modules of their parts in archives: also those that are left out have one. */
export function archiveModulesOf(all: readonly Extension[]): string[] {
  return all.flatMap(({ archived }) => archived?.href ?? []);
}

/** A sentence for each extension that is left out although options of it are set. With vital ones the start is refused instead. */
export function idleOptions(all: readonly Extension[], options: ServerOptions): string[] {
  return idleOptionsOf(all, options, false).map(
    ({ name, origins }) =>
      `${origins.join(', ')} ${origins.length === 1 ? 'has' : 'have'} no effect: the extension ${name} is left out`,
  );
}

/** Options of one extension that is left out, by where they are set. */
interface IdleOptions {
  readonly name: string;
  readonly origins: readonly string[];
}

function idleOptionsOf(
  all: readonly Extension[],
  { extensions, values }: ServerOptions,
  areVital: boolean,
): IdleOptions[] {
  const leftOut = all.filter(({ name }) => extensions?.includes(name) === false);
  return leftOut.flatMap(({ name, options }) => {
    const set = (options?.options ?? []).filter(
      ({ flag, isVital = false }) => isVital === areVital && values.has(flag),
    );
    return set.length === 0 ? [] : [{ name, origins: set.map(({ flag }) => values.originOf(flag)) }];
  });
}

function refusalOf({ name, origins }: IdleOptions, { values }: ServerOptions): string {
  const [needs, them] = origins.length === 1 ? ['needs', 'it'] : ['need', 'them'];
  return (
    `${origins.join(', ')} ${needs} the extension ${name}, which ${values.originOf('extensions')} leaves out: ` +
    `name ${name} among the extensions, or start without ${them}`
  );
}

function unknownExtension(name: string, names: readonly string[], { values }: ServerOptions): OptionError {
  const near = closestName(name, names);
  const known = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
  return new OptionError(
    `${values.originOf('extensions')}: there is no extension \`${name}\`; ${near === undefined ? known : `did you mean ${near}?`}`,
  );
}
