import type { Given } from '@fossick/base/contract';
import { DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_TEMPLATE_MAX_BYTES } from '@fossick/documents/templates';
import { CHAT_SEARCH_PARAMETERS } from './values/chat-values.js';

/** How a conversation searches an index; absent members are as in any search. Keys in the order of answers. */
export type ChatSearchParameters = {
  readonly [K in keyof typeof CHAT_SEARCH_PARAMETERS]?: Exclude<Given<typeof CHAT_SEARCH_PARAMETERS>[K], undefined>;
};
/** How an index is described to models, and how conversations search it. */
export interface ChatSettings {
  readonly description: string;
  readonly documentTemplate: string;
  readonly documentTemplateMaxBytes: number;
  readonly searchParameters: ChatSearchParameters;
}
type Loose = { readonly [name: string]: unknown; readonly searchParameters?: unknown };

/** The stored setting (only the given members) with its defaults. */
export function resolvedChat(stored: Loose): ChatSettings {
  const { description, documentTemplate, documentTemplateMaxBytes, searchParameters } = stored as Partial<ChatSettings>;
  const parameters = (searchParameters ?? {}) as Loose;
  const given = Object.keys(CHAT_SEARCH_PARAMETERS).filter((name) => (parameters[name] ?? null) !== null);
  return {
    description: description ?? '',
    documentTemplate: documentTemplate ?? DEFAULT_DOCUMENT_TEMPLATE,
    documentTemplateMaxBytes: documentTemplateMaxBytes ?? DEFAULT_TEMPLATE_MAX_BYTES,
    searchParameters: Object.fromEntries(given.map((name) => [name, parameters[name]])),
  };
}

/** The stored setting after a patch: null resets a member, `searchParameters` merge one by one. */
export function mergeChat(stored: Loose, patch: Loose): Loose {
  const { searchParameters, ...others } = patch;
  const merged = withoutNulls({ ...stored, ...others });
  if (searchParameters === undefined) return merged;
  const parameters =
    searchParameters === null ? {} : { ...(stored.searchParameters as Loose), ...(searchParameters as Loose) };
  return withoutNulls({ ...merged, searchParameters: withoutNulls(parameters) });
}

function withoutNulls(members: Loose): Loose {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
