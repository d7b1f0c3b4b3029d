import type { Environment } from '@fossick/instance';
import { type Invocation, readInvocation } from '@fossick/instance/invocation';
import type { Extension } from '@fossick/runtime/extension';
import { EXTENSIONS } from './extension-list.js';
import { idleOptions } from './served-extensions.js';

/** As `readInvocation`, with the options of extensions. */
export function readProductInvocation(
  argv: readonly string[],
  env: Environment,
  all: readonly Extension[] = EXTENSIONS,
): Invocation {
  const groups = all.flatMap(({ options }) => options ?? []);
  const restoring = all.flatMap(({ restore }) => restore ?? []);
  const commands = all.flatMap((extension) => extension.commands ?? []);
  const invocation = readInvocation(argv, env, groups, { restoring, commands });
  if (invocation.command !== 'start') return invocation;
  const { options } = invocation;
  return { ...invocation, options: { ...options, warnings: [...options.warnings, ...idleOptions(all, options)] } };
}
