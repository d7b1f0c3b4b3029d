export { packFolder, unpackArchive } from './dumps/archive.js';
export { linesOf } from './dumps/format/json-lines.js';
export type { OlderVersion } from './dumps/older/older-version.js';
export { upgradeDump } from './dumps/older/upgrade-dump.js';
export { readDump } from './dumps/read-dump.js';
export { writeDump } from './dumps/write-dump.js';
export { exportIndexes } from './export/export-indexes.js';
export { readSnapshot } from './snapshots/read-snapshot.js';
export { writeSnapshot } from './snapshots/write-snapshot.js';
