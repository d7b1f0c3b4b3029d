/**
 * The suites that depend on the runtime: `npm run test:on -- 24` runs them within two minutes on two cores. Each
 * has what it is for; a change of Node shows there first.
 */
export const SHORT_SUITES = [
  // threads: Atomics, message ports, ends of threads
  'packages/foundation/threads',
  // options of V8
  'packages/foundation/base/src/process',
  // WebAssembly, with SIMD and its memory
  'packages/foundation/kernel',
  // the native part of lmdb-js
  'packages/foundation/storage',
  // streams and sockets
  'packages/foundation/outbound',
  'packages/service/search-service',
  'packages/service/runtime',
  'packages/fossick/src/engine',
  'packages/fossick/src/faults',
  // the built server: its start, its threads and their ends, HTTP, the way it ends
  'apps/server/src/http',
  'apps/server/src/e2e/first-answer',
  'apps/server/src/e2e/launch',
  'apps/server/src/e2e/search-threads',
  'apps/server/src/e2e/thread-priority',
  'apps/server/src/reliability/searcher-deaths',
  'apps/server/src/reliability/thread-deaths',
];
