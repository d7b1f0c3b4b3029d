export { AnswerTooLongError, readBeginning, readBytes } from './answer-bytes.js';
export {
  type OutboundAnswer,
  OutboundClient,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundTls,
  SilenceError,
} from './client.js';
export { eventsOf } from './event-stream.js';
export { ClosedNetworkError, NetworkPolicy } from './network-policy.js';
export { quoted, reasonOf } from './quoting.js';
export { REAL_CLOCK, type RetryClock, type RetryLimits, retryAfterMs, retrying, TransientFault } from './retrying.js';
export { withTimeLimit } from './time-limit.js';
