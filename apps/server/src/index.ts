export type { ServerOptions } from '@fossick/instance';
export { OptionError } from '@fossick/instance';
export type { RunningServer, ServerLog } from './running-server.js';
export { readServerOptions } from './server-options.js';
export { startServer } from './start-server.js';
