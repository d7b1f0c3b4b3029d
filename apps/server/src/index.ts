export type { ServerOptions } from '@fossick/configuration';
export { OptionError, readServerOptions } from '@fossick/configuration';
export { type RunningServer, type ServerLog, startServer } from './compose.js';
