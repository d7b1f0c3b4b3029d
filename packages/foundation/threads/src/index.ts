/** Threads that block or die, watched by those that started them. */
export { BroadcastChannel, MessageChannel, type MessagePort, threadId } from 'node:worker_threads';
export { Bell } from './bell.js';
export {
  AnswererLostError,
  answerCalls,
  BlockingCaller,
  type BlockingChannel,
} from './blocking-calls.js';
export { announceThread, createPipe, PipeAbandoned, PipeReader, type PipeWaits, PipeWriter } from './byte-pipe.js';
export { ControlWord } from './control-word.js';
export { type OwnThread, ownThread, receivedOn } from './own.js';
export { SupervisedThread, type SupervisedThreadOptions } from './supervised-thread.js';
export { reportOf, type ThreadStart, WatchedThread } from './watched-thread.js';
