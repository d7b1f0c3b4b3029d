/**
 * The words by which each extension is known. The product code of the core has none of them: what it needs to know of an extension comes
 * through the port (packages/service/runtime/src/extension.ts). An extension that is moved out of the core adds its words.
 */
import { isCode, isTest, type SourceFile } from './source-file.js';

export interface ExtensionWords {
  readonly word: RegExp;
  /** Texts that have the word and mean something else, and what they mean. */
  readonly others: ReadonlyMap<string, string>;
  /** Files of the core that have the word, and why the port cannot carry it. */
  readonly files: ReadonlyMap<string, string>;
}

const CODES =
  'the codes of errors are one closed type of a published package, with their texts; docs/reference/errors.md is made of it';
const ACTIONS =
  'the actions of keys are one list: keys of dumps and of other servers name them, and stay valid while an extension is left out';
const STEPS = 'the steps of a dump are those of the reference engine: their numbers are the progress of a batch';
const SETTING =
  'settings of indexes are one closed table, with the feature and the template of each: they are stored and dumped while an extension is left out';

const NODES =
  'whoever opens a database without the extension refuses the folder of a node: also a server from which it was taken, and the engine in a process';

/** By extension. */
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
      ['packages/service/tasks/src/run/step-table.ts', STEPS],
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
  telemetry: { word: /telemetry|traceparent/i, others: new Map(), files: new Map() },
  webhooks: {
    word: /webhook/i,
    others: new Map(),
    files: new Map([
      ['packages/foundation/base/src/error-table.ts', CODES],
      ['packages/foundation/base/src/messages/tasks.ts', CODES],
      ['packages/service/api/src/names/actions.ts', ACTIONS],
      ['packages/service/tasks/src/run/step-table.ts', STEPS],
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
        .filter(({ path }) => !known.has(path))
        .map(({ path, lines }) => `${path} knows the extension ${name}: ${lines[0]!.trim()}`),
      ...[...known.keys()]
        .filter((path) => !found.some((file) => file.path === path))
        .map((path) => `${path} does not name ${name} any more: take it off extension-words.ts`),
    ];
  });
}
