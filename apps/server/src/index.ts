export { buildApp } from './app.js';
export { type RunningServer, startServer } from './compose.js';
export { OptionError } from './config/option-values.js';
export { readServerOptions, type ServerOptions } from './config/server-options.js';
export type { ServerContext } from './context.js';
