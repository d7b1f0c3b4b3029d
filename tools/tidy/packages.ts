/**
 * The rules of the architecture as data: which package may import which, and which folder alone may use what. See
 * ARCHITECTURE.md.
 */

/** Folder of each package -> packages it may import. Everything not named here is refused. */
export const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'packages/foundation/base': [],
  'packages/foundation/outbound': [],
  'packages/foundation/documents': ['base'],
  'packages/foundation/embedders': ['base', 'documents', 'outbound', 'threads'],
  'packages/foundation/filter': ['base'],
  'packages/foundation/objects': ['base', 'outbound'],
  'packages/foundation/kernel': ['base'],
  'packages/foundation/storage': ['base', 'threads'],
  'packages/foundation/threads': ['base'],
  'packages/foundation/tokenizer': ['base'],
  'packages/foundation/edit-script': ['base', 'documents'],
  'packages/engine/settings': ['base', 'documents', 'embedders', 'filter', 'tokenizer'],
  'packages/engine/format': ['base', 'storage'],
  'packages/engine/columns': ['base', 'documents', 'filter', 'format', 'kernel', 'settings', 'tokenizer'],
  'packages/engine/postings': ['base', 'documents', 'format', 'kernel', 'settings', 'tokenizer'],
  'packages/engine/vectors': ['base', 'documents', 'format', 'kernel', 'settings'],
  'packages/engine/index': [
    'base',
    'columns',
    'documents',
    'edit-script',
    'embedders',
    'filter',
    'format',
    'kernel',
    'postings',
    'settings',
    'storage',
    'threads',
    'tokenizer',
    'vectors',
  ],
  'packages/engine/search': [
    'base',
    'columns',
    'documents',
    'filter',
    'format',
    'index',
    'kernel',
    'postings',
    'settings',
    'storage',
    'tokenizer',
    'vectors',
  ],
  'packages/service/api': ['base', 'documents', 'filter', 'settings'],
  'packages/service/instance': ['api', 'base', 'index', 'outbound', 'storage'],
  'packages/service/tasks': ['api', 'base', 'documents', 'index', 'storage', 'threads'],
  'packages/service/search-service': [
    'api',
    'base',
    'documents',
    'embedders',
    'filter',
    'index',
    'instance',
    'kernel',
    'outbound',
    'search',
    'settings',
    'storage',
    'threads',
  ],
  'packages/service/runtime': [
    'api',
    'base',
    'edit-script',
    'embedders',
    'index',
    'instance',
    'kernel',
    'outbound',
    'search-service',
    'storage',
    'tasks',
    'threads',
  ],
  'packages/extensions/analytics': ['api', 'base', 'instance', 'runtime', 'search-service', 'tasks'],
  'packages/extensions/chats': [
    'api',
    'base',
    'documents',
    'instance',
    'outbound',
    'runtime',
    'search-service',
    'settings',
  ],
  'packages/extensions/cluster': [
    'api',
    'base',
    'index',
    'instance',
    'objects',
    'outbound',
    'replication',
    'runtime',
    'storage',
    'tasks',
    'threads',
  ],
  'packages/extensions/replication': ['base', 'objects', 'storage'],
  'packages/extensions/telemetry': ['api', 'instance', 'runtime', 'search-service', 'tasks'],
  'packages/extensions/transfer': [
    'api',
    'base',
    'documents',
    'index',
    'instance',
    'objects',
    'outbound',
    'runtime',
    'search',
    'settings',
    'storage',
    'tasks',
  ],
  'packages/extensions/webhooks': ['api', 'base', 'instance', 'outbound', 'runtime', 'tasks'],
  'apps/server': [
    'analytics',
    'api',
    'base',
    'chats',
    'cluster',
    'documents',
    'index',
    'instance',
    'objects',
    'outbound',
    'runtime',
    'search',
    'search-service',
    'storage',
    'tasks',
    'telemetry',
    'transfer',
    'webhooks',
  ],
  'packages/fossick': [
    'api',
    'base',
    'documents',
    'format',
    'index',
    'instance',
    'kernel',
    'runtime',
    'search',
    'search-service',
    'storage',
    'tasks',
    'tokenizer',
  ],
  'apps/dashboard': ['api'],
  bench: ['index', 'kernel', 'search', 'settings', 'tokenizer'],
};

/** The groups of packages: a package imports packages of its own group and of earlier ones. */
export const GROUPS: readonly string[] = [
  'packages/foundation/',
  'packages/engine/',
  'packages/service/',
  'packages/extensions/',
];
/** The group whose folders can be taken out: no package but the server knows them, and none knows another, but for its own second package. */
export const EXTENSIONS_GROUP = 'packages/extensions/';

/**
 * Packages that are not published as sources: the dashboard is bundled, benches run only here. They may import
 * development dependencies.
 */
export const UNINSTALLED_PACKAGES: readonly string[] = ['apps/dashboard', 'bench'];

/** Modules that only one folder may import, everywhere or within one package. */
export const SOLE_IMPORTERS: readonly {
  readonly module: RegExp;
  readonly folder: string;
  readonly within?: string;
  /** Tests elsewhere may import it, too. */
  readonly isFreeInTests?: boolean;
}[] = [
  {
    module: /^@fossick\/(index|settings)/,
    folder: 'packages/service/tasks/src/execution/',
    within: 'packages/service/tasks/',
  },
  // the service around the engine counts memory, and leaves kernels to the engine
  { module: /^@fossick\/kernel$/, folder: 'packages/engine/', within: 'packages/service/', isFreeInTests: true },
  { module: /^lmdb$/, folder: 'packages/foundation/storage/src/lmdb/' },
  { module: /^(undici|ipaddr\.js)$/, folder: 'packages/foundation/outbound/' },
  { module: /^(node:)?worker_threads$/, folder: 'packages/foundation/threads/', isFreeInTests: true },
  { module: /^@aws-sdk\//, folder: 'packages/foundation/objects/src/s3/' },
  {
    module: /^@fossick\/outbound/,
    folder: 'packages/foundation/objects/src/s3/',
    within: 'packages/foundation/objects/',
  },
  { module: /^pg$/, folder: 'packages/extensions/replication/src/postgres/' },
  { module: /^(fastify|@fastify\/.*)$/, folder: 'apps/server/' },
];

/** Imports of fewer than three names (package-graph.ts) that are right, and why. */
export const THIN_EDGES: ReadonlyMap<string, string> = new Map();

/** Packages that do no I/O and read no clock. */
export const PURE_PACKAGES: readonly string[] = [
  'packages/foundation/tokenizer/src/',
  'packages/foundation/filter/src/',
  'packages/foundation/kernel/src/',
];

/** Files of such packages that may look for modules of Node.js (`builtIn`), and what they read. */
export const PURE_PACKAGE_READERS: ReadonlyMap<string, string> = new Map([
  ['packages/foundation/kernel/src/instance.ts', 'the compiled kernel'],
  ['packages/foundation/tokenizer/src/dictionaries/package-file.ts', 'dictionaries, also of installed packages'],
  ['packages/foundation/tokenizer/src/dictionaries/dictionary.ts', 'nothing: it asks whether there are files'],
]);

/** The only folder that uses WebAssembly. */
export const WASM_FOLDER = 'packages/foundation/kernel/src/';

/** Words in file names that do not say what is inside. */
export const EMPTY_NAMES: readonly string[] = ['util', 'utils', 'helper', 'helpers', 'common', 'misc'];

/** Lines of a source file that is no test and no data table. */
export const MAX_FILE_LINES = 400;

/** Who holds a signal of AbortSignal.timeout() while it runs, and by what. */
export const HELD_TIMEOUTS: ReadonlyMap<string, string> = new Map([
  ['packages/foundation/embedders/src/http/provider-client.ts', 'it asks afterwards whether this limit was the one'],
  ['packages/foundation/objects/src/s3/attempts.ts', 'the S3 client listens to it, and a signal with a listener stays'],
]);

/** Files that may cast past the compiler (`as unknown as`), each once, and what the compiler cannot know there. */
export const DOUBLE_CASTS: ReadonlyMap<string, string> = new Map([
  [
    'packages/engine/settings/src/embedders/embedder-configuration.ts',
    'which fields go with which source: the settings are checked',
  ],
  ['packages/service/api/src/openapi/json-schema.ts', 'a JSON schema is JSON: zod types its members as unknown'],
  ['packages/service/tasks/src/task/long-contents.ts', 'an object with toJSON is written as that JSON'],
  [
    'packages/foundation/storage/src/lmdb/environment/environment.ts',
    'lmdb-js does not declare how its classes are instantiated',
  ],
  ['apps/server/src/http/answers/answer-watch.test.ts', 'an answer of the test is only what the watch asks of one'],
  ['packages/service/runtime/src/writer/writer-thread.test.ts', 'the thread of the test gets nothing but its memory'],
  ['apps/server/src/metrics/metrics.test.ts', 'the metrics are given the parts of an instance that they count'],
  ['apps/server/src/http/bodies/body-watch.test.ts', 'a watch looks at five members of a request'],
  ['apps/server/src/e2e/client-methods.test.ts', 'methods of the client by names that are put together'],
]);

/** Files that pass on what others say as the text of an error (`foreignText`), and who says it. */
export const FOREIGN_TEXTS: ReadonlyMap<string, string> = new Map([
  ['packages/extensions/cluster/src/threads/sent-errors.ts', 'a thread: an error that came as a message'],
  [
    'packages/service/search-service/src/answers/network-search.ts',
    'the error of a query of a network, without the name of the query',
  ],
  [
    'packages/service/search-service/src/threads/searcher-reports.ts',
    'the thread of a search: an error that came as a message',
  ],
  [
    'packages/service/search-service/src/embedding/query-vectors.ts',
    'the thread that calls providers: an error that came as a message',
  ],
  ['packages/foundation/filter/src/read-filter.ts', 'the parser of filters, which knows no codes'],
  ['packages/fossick/src/running-tasks.ts', 'the task log: the error of a task'],
  ['packages/fossick/src/web/writable-index.ts', 'the writer: the outcome of an operation'],
  ['packages/engine/search/src/documents/sort-entries.ts', 'the parser of sorts, which knows no codes'],
  [
    'packages/engine/settings/src/embedders/check-embedder.ts',
    'the parser of templates of requests, which knows no codes',
  ],
  ['apps/server/src/http/errors.ts', 'another copy of the error class, and the system'],
]);

/** The most parameters of a function. */
export const MAX_PARAMETERS = 5;

/** Data tables, whose length depends on their contents. Folders end in a slash. */
export const DATA_TABLES: readonly string[] = [
  'packages/foundation/tokenizer/src/data/',
  'packages/foundation/base/src/error-table.ts',
];

/**
 * Folders of a package in layers: a folder imports only folders of earlier layers, and `*` stands for folders that do not
 * import each other.
 */
export const FOLDER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  'apps/dashboard/src': ['api', 'parts/figures', 'parts/inputs', 'parts', 'views/*', 'shell'],
};
