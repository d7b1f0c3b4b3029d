/** The command line: only the program loads it. */
export { type Invocation, readInvocation, readServerOptions } from './configuration/commands/invocation.js';
