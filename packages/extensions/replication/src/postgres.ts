export type { ConnectionTiming } from './postgres/connections.js';
export { checkDurability, type Queries } from './postgres/durability.js';
export { PostgresLog, type PostgresLogOptions } from './postgres/postgres-log.js';
