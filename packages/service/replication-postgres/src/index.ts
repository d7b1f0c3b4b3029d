export type { ConnectionTiming } from './connections.js';
export { checkDurability, type Queries } from './durability.js';
export { PostgresLog, type PostgresLogOptions } from './postgres-log.js';
