/** A client of running instances: only commands load it. */
export { AnswerTooLongError, CallError, RefusalError } from './client/call-errors.js';
export { listAll, orNull, refusalOf } from './client/calls.js';
export { InstanceClient } from './client/instance-client.js';
export { withoutMasked } from './client/secrets.js';
