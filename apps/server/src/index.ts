export type { ServerOptions } from '@fossick/instance';
export { OptionError } from '@fossick/instance';
export { readServerOptions } from './extensions/product-options.js';
export type { RunningServer, ServerLog } from './running-server.js';
export { startServer } from './start-server.js';
