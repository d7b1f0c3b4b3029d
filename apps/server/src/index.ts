export type { ServerOptions } from '@fossick/instance';
export { OptionError } from '@fossick/instance';
export { readServerOptions } from '@fossick/instance/invocation';
export type { RunningServer, ServerLog } from './running-server.js';
export { startServer } from './start-server.js';
