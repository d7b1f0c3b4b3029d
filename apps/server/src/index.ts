export { buildApp } from './app.js';
export { type RunningServer, startServer } from './compose.js';
export { OptionError, readServerOptions, type ServerOptions } from './config/server-options.js';
export type { ServerContext } from './context.js';
