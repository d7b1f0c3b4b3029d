export type { ServerOptions } from '@fossick/configuration';
export { OptionError } from '@fossick/configuration';
export { readServerOptions } from '@fossick/configuration/invocation';
export { type RunningServer, type ServerLog, startServer } from './compose.js';
