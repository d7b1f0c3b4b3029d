export { formatByteSize, parseByteSize } from './byte-size.js';
export { defaultRemoteAnswersBytes } from './default-memory.js';
export { type Environment, fromEnvironment } from './environment.js';
export { LaunchError } from './launch-error.js';
export type { MoveOptions } from './move-options.js';
export { ClosedNetworkError, closedHost, NetworkPolicy } from './network-policy.js';
export type { TlsFiles } from './option-readers.js';
export { OptionError } from './option-values.js';
export { optionsOf, type ServerOptions } from './server-options.js';
