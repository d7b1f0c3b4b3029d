/** The command line: only the program loads it. */
export { type Invocation, readInvocation } from './configuration/commands/invocation.js';
export { configurationPage } from './configuration/configuration-page.js';
export { variableOf } from './configuration/environment.js';
