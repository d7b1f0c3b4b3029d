/** The command that moves an instance: nothing else loads it. */
export { InstanceClient } from './moving/instance-client.js';
export { listAll } from './moving/move-access.js';
export { dryRunMove, moveInstance, versionOf } from './moving/move-instance.js';
export { MoveReport } from './moving/move-report.js';
