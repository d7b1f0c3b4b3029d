/**
 * The words by which each extension is known, and what several of them share. The product code of the core has none of them: what it needs
 * to know of an extension comes through the port (packages/service/runtime/src/extension.ts). An extension that is moved out of the core
 * adds its words.
 */
import { isCode, isTest, type SourceFile } from './source-file.js';

export interface ExtensionWords {
  readonly word: RegExp;
  /** Texts that have the word and mean something else, and what they mean. */
  readonly others: ReadonlyMap<string, string>;
  /** Files of the core that have the word, or folders with a slash at the end, and why the port cannot carry it. */
  readonly files: ReadonlyMap<string, string>;
}

const CODES =
  'the codes of errors are one closed type of a published package, with their texts; docs/reference/errors.md is made of it';
const ACTIONS =
  'the actions of keys are one list: keys of dumps and of other servers name them, and stay valid while an extension is left out';
const SETTING =
  'settings of indexes are one closed table, with the feature and the template of each: they are stored and dumped while an extension is left out';
const STORE = 'the snapshot of a store is one of its commits as a reader sees it: the word of the field';
const KINDS =
  'the kinds of tasks of the reference engine are one list: stored tasks, filters and published types name them';
const COPIES =
  'names of files that a server with the extension leaves in a folder: whoever opens that folder knows them';

const NODES =
  'whoever opens a database without the extension refuses the folder of a node: also a server from which it was taken, and the engine in a process';

/** By extension, or by what several of them share. */
export const EXTENSION_WORDS: Readonly<Record<string, ExtensionWords>> = {
  analytics: {
    word: /analytics/i,
    others: new Map([['no-analytics', 'the option of the reference engine that switches counts of usage off']]),
    files: new Map([
      ['packages/foundation/base/src/error-table.ts', CODES],
      ['packages/foundation/base/src/messages/searches.ts', CODES],
    ]),
  },
  chats: {
    word: /chat/i,
    others: new Map([['chat.example.com', 'an origin of pages, as an example']]),
    files: new Map([
      ['packages/foundation/base/src/error-table.ts', CODES],
      ['packages/foundation/base/src/messages/features.ts', CODES],
      ['packages/foundation/base/src/messages/keys.ts', CODES],
      ['packages/foundation/base/src/messages/network.ts', CODES],
      ['packages/service/api/src/names/actions.ts', ACTIONS],
      ['packages/service/instance/src/access/access.ts', ACTIONS],
      ['packages/service/instance/src/access/api-key.ts', ACTIONS],
      ['packages/engine/settings/src/chat-settings.ts', SETTING],
      ['packages/engine/settings/src/index.ts', SETTING],
      ['packages/engine/settings/src/merge-settings.ts', SETTING],
      ['packages/engine/settings/src/settings-table.ts', SETTING],
      ['packages/engine/settings/src/values/chat-values.ts', SETTING],
      ['packages/engine/settings/src/values/setting-limits.ts', SETTING],
      ['packages/service/api/src/names/feature-names.ts', SETTING],
      ['packages/service/api/src/openapi/schemas/settings.ts', SETTING],
      ['packages/service/api/src/requests/render-request.ts', SETTING],
      ['packages/service/search-service/src/jobs/kinds/render-template.ts', SETTING],
      ['packages/service/search-service/src/jobs/kinds/settings-job.ts', SETTING],
      ['packages/service/search-service/src/settings/settings-task.ts', SETTING],
      ['packages/fossick/src/settings.ts', SETTING],
    ]),
  },
  cluster: {
    word: /cluster/i,
    others: new Map([
      ['clustered vectors', 'vectors that are near one another'],
      ['inserted cluster by cluster, a graph would have few links between clusters', 'the same'],
      ['queries between clusters', 'the same'],
    ]),
    files: new Map([
      ['packages/foundation/base/src/error-table.ts', CODES],
      ['packages/foundation/base/src/messages/requests.ts', CODES],
      ['packages/service/tasks/src/run/run-batch.ts', CODES],
      ['packages/service/instance/src/folder/node-names.ts', NODES],
    ]),
  },
  s3: {
    word: /s3/i,
    others: new Map([
      ['HS384', 'an algorithm of signatures'],
      ['experimental-s3-signature-duration', 'an option of the reference engine without effect'],
      ['EXPERIMENTAL_S3_SIGNATURE_DURATION_SECONDS', 'its variable'],
    ]),
    files: new Map([
      ['packages/foundation/base/src/error-table.ts', CODES],
      ['packages/foundation/base/src/messages/tasks.ts', CODES],
      ['packages/foundation/objects/src/', 'the store itself, which extensions alone import'],
    ]),
  },
  telemetry: { word: /telemetry|traceparent/i, others: new Map(), files: new Map() },
  transfer: {
    word: /dump|snapshot/i,
    others: new Map([
      ['experimental-dumpless-upgrade', 'an older name of an option of the reference engine'],
      ['experimental-no-edition-2024-for-dumps', 'an option of the reference engine without effect'],
      ['experimental-no-snapshot-compaction', 'the same'],
      ['body.dump', 'a method of the HTTP client: it reads a body and drops it'],
      ['.snapshots?', 'a folder that file systems make'],
    ]),
    files: new Map([
      ['packages/foundation/storage/src/', STORE],
      ['packages/engine/index/src/', STORE],
      ['packages/fossick/src/web/exported-bytes.ts', STORE],
      ['packages/foundation/base/src/error-table.ts', CODES],
      ['packages/foundation/base/src/messages/tasks.ts', CODES],
      ['packages/service/api/src/names/actions.ts', ACTIONS],
      ['packages/service/api/src/names/task-names.ts', KINDS],
      ['packages/service/instance/src/folder/foreign-folder.ts', COPIES],
    ]),
  },
  webhooks: {
    word: /webhook/i,
    others: new Map(),
    files: new Map([
      ['packages/foundation/base/src/error-table.ts', CODES],
      ['packages/foundation/base/src/messages/tasks.ts', CODES],
      ['packages/service/api/src/names/actions.ts', ACTIONS],
    ]),
  },
};

/** What is served without any extension; the list of extensions alone joins the two. */
const CORE = ['packages/foundation/', 'packages/engine/', 'packages/service/', 'packages/fossick/', 'apps/server/src/'];
const JOINT = 'apps/server/src/extensions/extension-list.ts';

/** Lines of the core that name an extension, and exceptions that are not needed. */
export function findExtensionWords(files: readonly SourceFile[], all = EXTENSION_WORDS): string[] {
  const core = files.filter(
    ({ path }) => isCode(path) && !isTest(path) && path !== JOINT && CORE.some((folder) => path.startsWith(folder)),
  );
  return Object.entries(all).flatMap(([name, { word, others, files: known }]) => {
    const linesOf = ({ text }: SourceFile): string[] =>
      text
        .split('\n')
        .filter((line) => word.test([...others.keys()].reduce((rest, other) => rest.replaceAll(other, ''), line)));
    const found = core
      .map((file) => ({ path: file.path, lines: linesOf(file) }))
      .filter(({ lines }) => lines.length > 0);
    return [
      ...found
        .filter(({ path }) => ![...known.keys()].some((each) => isWithin(path, each)))
        .map(({ path, lines }) => `${path} names ${name}: ${lines[0]!.trim()}`),
      ...[...known.keys()]
        .filter((each) => !found.some(({ path }) => isWithin(path, each)))
        .map((each) => `${each} does not name ${name} any more: take it off extension-words.ts`),
    ];
  });
}

const isWithin = (path: string, each: string): boolean => (each.endsWith('/') ? path.startsWith(each) : path === each);
