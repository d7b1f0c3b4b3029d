import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../examples/page-blocks.test-support.js';

/** Versions of clients that are installed by tests, into folders of their own. */
export const INSTALLED_CLIENTS = {
  python: '0.43.0',
  go: 'v0.37.0',
  java: '0.15.0',
  rust: '0.33.0',
  inspector: '2.12.0',
} as const;

/** A client that a suite runs against the server. */
export interface ClientRow {
  readonly language: string;
  readonly name: string;
  readonly version: string;
  /** The suite, relative to the root. */
  readonly suite: string;
  /** What the suite contains when it uses the client. */
  readonly mark: string;
  readonly covers: string;
  readonly differs: string;
}

const NOTHING = 'nothing known';
const NETWORK = 'methods of a network with a leader are refused (`invalid_network_leader`): a network has none here';

/** The clients, by language. Versions of JavaScript are those that are installed. */
export const CLIENTS: readonly ClientRow[] = [
  npm('meilisearch', 'apps/server/src/e2e/client-methods.test.ts', 'every public method of the client', NETWORK),
  npm(
    '@meilisearch/instant-meilisearch',
    'apps/server/src/clients/instantsearch.system.test.ts',
    'InstantSearch: facets, ranges, sorting, pages, maps',
    'stay with `^0.31`: version 1.0.0 is older and asks for an old client',
  ),
  npm(
    'instantsearch.js',
    'apps/server/src/examples/pages.system.test.ts',
    'widgets in a browser',
    NOTHING,
    'instantsearch',
  ),
  npm('openai', 'packages/extensions/chats/src/in-server/sdk.test.ts', 'conversations, streamed and whole', NOTHING),
  npm('ai', 'packages/extensions/chats/src/in-server/sdk.test.ts', 'conversations with tools, several steps', NOTHING),
  npm(
    '@modelcontextprotocol/sdk',
    'apps/server/src/mcp/mcp-client.test-support.ts',
    'tools of `/mcp`',
    'no sessions, no streams from the server ([MCP](../reference/mcp.md))',
  ),
  {
    language: 'JavaScript',
    name: '@modelcontextprotocol/inspector',
    version: INSTALLED_CLIENTS.inspector,
    suite: 'apps/server/src/mcp/mcp-inspector.system.test.ts',
    mark: '@modelcontextprotocol/inspector',
    covers: 'schemas of the tools, calls',
    differs: NOTHING,
  },
  other('Python', 'meilisearch', INSTALLED_CLIENTS.python, 'python-client.py'),
  other('Go', 'github.com/meilisearch/meilisearch-go', INSTALLED_CLIENTS.go, 'go-client.go'),
  other('Java', 'com.meilisearch.sdk:meilisearch-java', INSTALLED_CLIENTS.java, 'JavaClient.java'),
  other('Rust', 'meilisearch-sdk', INSTALLED_CLIENTS.rust, 'rust-client.rs', 'in the long form of the tests'),
];

function npm(name: string, suite: string, covers: string, differs: string, mark = `'${name}`): ClientRow {
  const folder = [join(ROOT, 'apps/server/node_modules'), join(ROOT, 'node_modules')].find((each) =>
    existsSync(join(each, name, 'package.json')),
  );
  const { version } = JSON.parse(readFileSync(join(folder!, name, 'package.json'), 'utf8')) as { version: string };
  return { language: 'JavaScript', name, version, suite, mark, covers, differs };
}

function other(language: string, name: string, version: string, mark: string, when = ''): ClientRow {
  const covers = `indexes, documents, settings, searches, keys, tasks${when === '' ? '' : `; ${when}`}`;
  const suite = 'apps/server/src/clients/other-languages.system.test.ts';
  return { language, name, version, suite, mark, covers, differs: NOTHING };
}

/** What became of the suites of the clients themselves, which were run by hand: language, version, passed, failed, why. */
const OWN_SUITES: readonly (readonly [string, string, string, string, string])[] = [
  [
    'JavaScript',
    '0.62.0',
    '1,602',
    '43',
    'a network with a leader (11), texts of errors and of the default keys (10), OpenAI and Hugging Face could not be reached (7), the suite expects the name of an older client (6), an unknown route has a JSON body (4), the key of a chat workspace is not shown (2), no personalisation (1), `processingTimeMs` is not 0 (2)',
  ],
  ['Python', '0.43.0', '374', '2', 'Hugging Face could not be reached (2); three more need a key of a provider'],
  [
    'Go',
    '0.37.0',
    '541',
    '17',
    'sizes are those of the documents, not of pages of 4,096 bytes (4), OpenAI and Hugging Face could not be reached (3), a network with a leader (2), `processingTimeMs` is not 0 (2), Japanese words that Meilisearch 1.50 does not find either (1); the other 5 are groups of these',
  ],
  [
    'Java',
    '0.20.0',
    '326',
    '7',
    'the same 7 as with Meilisearch 1.50: the suite knows the ranking rules before `attributeRank` and `wordPosition` (5), the client leaves `null` out of a webhook (1), and fails in itself (1)',
  ],
  [
    'Rust',
    '0.33.0',
    '190',
    '4',
    'texts of errors (2), an unknown route has a JSON body (1), the text of a newer version of the library `uuid` in a test without a server (1)',
  ],
];

/** The page of clients. */
export function clientsPage(): string {
  const rows = CLIENTS.map(({ language, name, version, suite, covers, differs }) => {
    const file = suite.split('/').at(-1)!;
    return `| ${language} | \`${name}\` | ${version.replace(/^v/, '')} | ${covers} | ${differs} | [${file}](../../${suite}) |`;
  });
  return `# Clients

Fossick speaks the HTTP API of Meilisearch 1.57, so clients of Meilisearch work as they are. This table is made from the suites that run them, with the versions that they run
(\`npx vitest run apps/server/src/clients/clients-page.test.ts -u\`). Clients of other versions are expected to work where they work with Meilisearch 1.57; those for PHP, Ruby, Dart, Swift and .NET are not tested, because
tests have no registry of theirs or no compiler; the guides for [Laravel](laravel-scout.md) and [Rails](rails.md) were walked by hand.

| language | client | version | what the suite does | what differs from Meilisearch | suite |
|---|---|---|---|---|---|
${rows.join('\n')}

The suites of the clients themselves, against a server with the master key of each suite, on 29 November 2026. Each failure has one of these reasons; [differences](../reference/differences.md) has the reasons.

| language | version | passed | failed | why |
|---|---|---|---|---|
${OWN_SUITES.map((row) => `| ${row.join(' | ')} |`).join('\n')}

\`GET /version\` answers the version of the API, which some clients compare with their own. Errors have the same \`code\` and \`type\`; their texts are Fossick's own, so a program compares codes.
`;
}
