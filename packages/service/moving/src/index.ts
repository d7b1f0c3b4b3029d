export { InstanceClient } from './instance-client.js';
export { listAll } from './move-access.js';
export { MoveError } from './move-error.js';
export { dryRunMove, moveInstance, versionOf } from './move-instance.js';
export { MoveReport } from './move-report.js';
