import { type ErrorCode, errorTable } from '../../packages/foundation/base/src/error-table.js';
import { exampleOf } from './examples.js';
import { EXPORT_PROSE, FEATURE_PROSE, NETWORK_PROSE } from './feature-prose.js';
import { DOCUMENT_PROSE, INDEX_PROSE, SETTINGS_PROSE } from './index-prose.js';
import { ACCESS_PROSE, GENERIC_PROSE, TASK_PROSE } from './instance-prose.js';
import type { Prose, ProseTable } from './prose.js';
import { ANALYTICS_PROSE, MULTI_SEARCH_PROSE, SEARCH_PROSE } from './search-prose.js';

interface Chapter {
  readonly title: string;
  readonly table: ProseTable;
  /** The extension that alone answers these codes. */
  readonly extension?: string;
}

/** Parts of the page, in the order of the error table. */
export const CHAPTERS: readonly Chapter[] = [
  { title: 'Keys and rights', table: ACCESS_PROSE },
  { title: 'Any request', table: GENERIC_PROSE },
  { title: 'Indexes', table: INDEX_PROSE },
  { title: 'Documents', table: DOCUMENT_PROSE },
  { title: 'Settings', table: SETTINGS_PROSE },
  { title: 'Tasks, batches, webhooks, dumps and snapshots', table: TASK_PROSE },
  { title: 'Searches', table: SEARCH_PROSE },
  { title: 'Search analytics', table: ANALYTICS_PROSE, extension: 'analytics' },
  { title: 'Searches in several indexes', table: MULTI_SEARCH_PROSE },
  { title: 'The network', table: NETWORK_PROSE },
  { title: 'Exports', table: EXPORT_PROSE, extension: 'transfer' },
  { title: 'Templates, search rules and chats', table: FEATURE_PROSE },
];

const INTRODUCTION = `# Errors

Every error is an object with \`message\`, \`code\`, \`type\` and \`link\`; the link leads to its code on this page. In answers it
comes with the HTTP status given here; a failed task holds the same object in \`error\`, where the status says nothing.
Types: \`invalid_request\` (the request has to change), \`auth\` (the key has to), \`system\` (the machine or another instance
failed), \`internal\` (the server is at fault). A path that does not exist is answered 404, a method that a path does not have
405, both with an empty body.

This page is made from the error table (\`packages/foundation/base/src/error-table.ts\`) and the texts in \`tools/errors\`:
\`npx vitest run tools/errors -u\` writes it anew.
`;

/** The whole of docs/reference/errors.md. Throws when a code of the table has no prose. */
export function makePage(): string {
  const contents = CHAPTERS.map(({ title }) => `- [${title}](#${anchorOf(title)})`);
  const chapters = CHAPTERS.map(({ title, table }) => {
    const codes = [...errorTable.keys()].filter((code) => Object.hasOwn(table, code));
    return `## ${title}\n\n${codes.map((code) => section(code, table[code]!)).join('\n')}`;
  });
  return `${INTRODUCTION}\n${contents.join('\n')}\n\n${chapters.join('\n')}`;
}

function section(code: ErrorCode, { meaning, cause, fix, isReserved }: Prose): string {
  const { type, status, messages } = errorTable.get(code)!;
  const [first] = Object.values(messages);
  const example = first === undefined ? '' : `- Example: ${exampleOf(first)}\n`;
  const note = isReserved === true ? ' Reserved: this server does not answer it.' : '';
  return `### ${code}\n\n\`${type}\`, status ${status}.${note}\n\n- Meaning: ${meaning}\n- Cause: ${cause}\n- Fix: ${fix}\n${example}`;
}

/** The anchor that a heading gets where the page is rendered. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
