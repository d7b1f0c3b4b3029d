/** The command that moves an instance: nothing else loads it. */
export { InstanceClient } from './moving/instance-client.js';
export { type InstanceMove, listAll } from './moving/move-access.js';
export { RefusalError } from './moving/move-error.js';
export { orNull } from './moving/move-index.js';
export { dryRunMove, moveInstance, versionOf } from './moving/move-instance.js';
export { refusalOf } from './moving/move-instance-values.js';
export { MoveReport } from './moving/move-report.js';
export { isMasked, withoutMasked } from './moving/secrets.js';
