/** The command line: only the program loads it. */
export { commandsOf } from './configuration/commands/command-line.js';
export { type Invocation, readInvocation, readOut, readServer } from './configuration/commands/invocation.js';
export { configurationPage } from './configuration/configuration-page.js';
export { variableOf } from './configuration/environment.js';
