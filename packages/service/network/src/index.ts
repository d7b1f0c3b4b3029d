export type { AnswerReservation } from './answer-memory.js';
export { type Network, type Remote, readNetwork, type Shard, storeNetwork } from './network.js';
export { areLargeAnswers, badResponse, readParsed } from './remote-answer.js';
export { RemoteClient, remoteTimeoutMs } from './remote-client.js';
export type { RemoteHealth } from './remote-health.js';
export { type RequestedPart, remotePart } from './remote-part.js';
