export type { ServerOptions } from '@fossick/instance';
export { OptionError } from '@fossick/instance';
export { readServerOptions } from '@fossick/instance/invocation';
export { type ComposedServer, composeServer, type RunningServer, type ServerLog, startServer } from './compose.js';
