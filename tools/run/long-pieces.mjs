/**
 * The pieces of `npm run test:long`, each of which ends within some minutes, as a rule. Files are named without their
 * endings: the long form of a file of `npm test` or `npm run test:system` is that file with FOSSICK_TEST_FAULTS=long.
 * `rounds` is the value of FOSSICK_TEST_ROUNDS for tests with any number of rounds; a piece with `times` runs that often.
 * `minutes`: measured on two cores with other work on them.
 */
const R = 'apps/server/src/reliability/';
/** Files of tests that take less than a minute each. */
const SHORT = [
  [
    'moved-database',
    'poison-batch',
    'thread-deaths',
    'timers-and-rejections',
    'truncated-store',
    'stop',
    'edit-functions',
    'impossible-ids',
    'configured-values',
    'many-ids',
    'storms',
    'hostile-targets',
    'hostile-connections',
    'many-queries',
  ],
  [
    'answer-size',
    'searcher-deaths',
    'search-memory',
    'second-instance',
    'copy-kills',
    'bodies',
    'first-start',
    'lost-files',
    'unreadable-folder',
    'start-paths',
    'foreign-folder',
    'hidden-index',
    'long-writes',
    'disk-full',
  ],
];

/** @typedef {{ name: string, files: string[], test?: string, rounds?: number, times?: number, minutes: number }} Piece */

/** @type {readonly Piece[]} */
export const PIECES = [
  ...SHORT.map((names, at) => ({
    name: `short-${at + 1}`,
    files: names.map((one) => `${R}${one}.`),
    minutes: 4,
  })),
  { name: 'rights', files: [`${R}authorization-matrix.`, `${R}scope-leak.`], minutes: 3 },
  {
    name: 'import-renames',
    files: ['packages/extensions/transfer/src/in-server/partial-import.'],
    test: 'before and after|truncated|of which',
    minutes: 3,
  },
  {
    name: 'import-kills',
    files: ['packages/extensions/transfer/src/in-server/partial-import.'],
    test: 'at any time',
    rounds: 10,
    times: 3,
    minutes: 4,
  },
  {
    name: 'merges',
    files: [`${R}merges-left.`, `${R}settled-segments.`, `${R}merge-kills.`],
    minutes: 2,
  },
  {
    name: 'bombs',
    files: [`${R}bombs.`, `${R}first-words.`],
    minutes: 7,
  },
  { name: 'archives', files: ['packages/extensions/transfer/src/in-server/crafted-archives.'], minutes: 2 },
  {
    name: 'killed-copies',
    files: ['packages/extensions/transfer/src/in-server/partial-import.'],
    test: 'that was killed while',
    minutes: 3,
  },
  { name: 'lost-stores', files: [`${R}lost-stores.`], minutes: 3 },
  { name: 'room', files: [`${R}disk-full.`, `${R}fd-limit.`], minutes: 4 },
  { name: 'embedding', files: [`${R}embedding.`], minutes: 2 },
  {
    name: 'conversations',
    files: ['packages/extensions/chats/src/conversations.', 'packages/extensions/chats/src/hostile-provider.'],
    minutes: 3,
  },
  { name: 'power-cut', files: [`${R}power-cut.`], minutes: 4 },
  { name: 'unread-answers', files: [`${R}unread-answers.`], minutes: 9 },
  { name: 'remotes', files: [`${R}remote-answer-limits.`, `${R}remote-event-loop.`], minutes: 4 },
  { name: 'event-loop', files: [`${R}event-loop-budget.`, `${R}event-loop-settings.`], minutes: 6 },
  { name: 'valid-requests', files: [`${R}valid-requests.`], minutes: 15 },
  { name: 'documented-requests', files: [`${R}documented-requests.`, `${R}begun-again.`], minutes: 4 },
  { name: 'benches', files: ['bench/src/benches.'], test: 'of a cluster', minutes: 2 },
  { name: 'clients', files: ['apps/server/src/clients/other-languages.'], minutes: 5 },
  { name: 'ranking-oracle', files: ['packages/engine/search/src/ranking/oracle'], minutes: 60 },
  {
    name: 'models-of-searches',
    files: [
      ...['view/expired-documents.', 'filters/search-facet-scale.', 'filters/filter-sets.', 'filters/columns-model.'],
      ...['filters/geo-model.', 'grouped/', 'ranking/threshold.', 'ranking/paths/'],
    ]
      .map((name) => `packages/engine/search/src/${name}`)
      .concat('packages/engine/postings/src/reading/stored-pairs.', 'packages/engine/postings/src/reading/held-window.')
      .concat('packages/engine/index/src/merging/left-merges.'),
    minutes: 5,
  },
  { name: 'write-fuzz', files: [`${R}write-fuzz.`], minutes: 3 },
  { name: 'scheduler-model', files: [`${R}scheduler-model.`], rounds: 1_000, times: 2, minutes: 4 },
  { name: 'compacted-index', files: [`${R}copy-then-write.`], test: 'an index that is compacted', minutes: 3 },
  { name: 'compacted-queue', files: [`${R}copy-then-write.`], test: 'the task queue is compacted', minutes: 5 },
  { name: 'snapshots', files: [`${R}copy-then-write.`], test: 'a snapshot of a restored', minutes: 3 },
  {
    name: 'wrong-rows',
    files: [`${R}wrong-bytes.`],
    test: 'in rows of an index',
    rounds: 30,
    times: 2,
    minutes: 4,
  },
  {
    name: 'wrong-files',
    files: [`${R}wrong-bytes.`],
    test: 'anywhere in the files',
    rounds: 50,
    times: 3,
    minutes: 4,
  },
  { name: 'page-deaths', files: [`${R}page-deaths.`], rounds: 20, times: 2, minutes: 4 },
  { name: 'kill-anywhere', files: [`${R}kill-anywhere.`], rounds: 15, times: 10, minutes: 5 },
  { name: 'kill-storm', files: [`${R}kill-storm.`], rounds: 250, times: 8, minutes: 7 },
  {
    name: 'analytics-kills',
    files: ['packages/extensions/analytics/src/analytics-kills.'],
    rounds: 25,
    times: 2,
    minutes: 5,
  },
  { name: 'many-indexes', files: [`${R}many-indexes.`], minutes: 20 },
  {
    name: 'packages',
    files: [
      'packages/engine/index/src/catalogue/open-stores.',
      'packages/foundation/storage/src/lmdb',
      'packages/foundation/documents/src/templates/template-fuzz.',
      'packages/foundation/edit-script/src/hostile-scripts.',
    ],
    minutes: 4,
  },
  {
    name: 'shared-lists',
    files: ['packages/engine/postings/src/reading/shared-lists.'],
    rounds: 200,
    times: 3,
    minutes: 5,
  },
  {
    name: 'searcher-kills',
    files: ['packages/service/search-service/src/threads/searcher-kills.', 'packages/foundation/kernel/src/shared.'],
    rounds: 40,
    minutes: 7,
  },
  { name: 'replication', files: ['packages/extensions/replication/src/simulation/simulation.'], minutes: 2 },
  { name: 'cluster', files: ['packages/extensions/cluster/src/in-nodes/replicas.'], rounds: 20, minutes: 9 },
  {
    name: 'cluster-links',
    files: [
      'packages/extensions/cluster/src/in-nodes/bad-links.',
      'packages/extensions/cluster/src/in-nodes/failover.',
      'packages/extensions/cluster/src/in-nodes/bad-days.',
      'packages/extensions/cluster/src/in-nodes/full-disk.',
    ],
    rounds: 10,
    minutes: 20,
  },
  {
    name: 'cluster-log',
    files: [
      'packages/extensions/cluster/src/in-nodes/postgres.',
      'packages/extensions/cluster/src/in-nodes/s3.',
      'packages/extensions/cluster/src/in-nodes/log-away.',
      'packages/extensions/cluster/src/in-nodes/checkpoints.',
      'packages/extensions/cluster/src/in-nodes/joining.',
    ],
    rounds: 20,
    minutes: 9,
  },
];

/** Test files that no piece names: a new file must be added to one. */
export function filesWithoutPiece(files) {
  return files.filter((file) => !PIECES.some((piece) => piece.files.some((named) => file.startsWith(named))));
}
