import type { Environment, ServerOptions } from '@fossick/instance';
import { readProductInvocation } from './extensions/product-options.js';

/**
 * The options of a server that starts: command line over environment over file. Throws OptionError, and CommanderError with the
 * exit code 0 when help or the version was printed.
 */
export function readServerOptions(argv: readonly string[], env: Environment): ServerOptions {
  return readProductInvocation(argv, env).options;
}
