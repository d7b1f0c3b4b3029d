export { type RunningServer, type ServerLog, startServer } from './compose.js';
export { readServerOptions } from './config/invocation.js';
export { OptionError } from './config/option-values.js';
export type { ServerOptions } from './config/server-options.js';
