import { toJsonText } from '@fossick/documents';
import { documentVariables, renderDocumentText } from '@fossick/documents/templates';
import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { type RuleBook, searchDocuments } from '@fossick/search';
import { isDisplayedField, isSearchableField, resolvedChat } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';
import { found, type JobKind, placeOfSearch } from './job.js';

/** The findings of a search for a conversation. */
export interface ChatFindings {
  /** For the model: the documents rendered by the template of the index, one after the other. */
  readonly text: string;
  /** For the client: the same documents, displayed attributes only. */
  readonly documents: readonly unknown[];
}

/** A search for a conversation in one index: JSON of ChatFindings. `textBytes`: limit of the rendered texts. */
export interface ChatJob {
  readonly kind: 'chat';
  readonly indexUid: string;
  readonly request: SearchRequest;
  readonly textBytes: number;
  readonly ruleBook: RuleBook | null;
  readonly scope: IndexScope;
}

export const CHAT: JobKind<ChatJob, Buffer> = {
  kind: 'chat',
  place: placeOfSearch,
  run: (engine, job) => found(chatSearchBytes(engine, job)),
};

/**
 * Searches one index and renders the hits by the index's chat template, as JSON bytes of ChatFindings, in this thread,
 * with nothing but an engine. A template written by the operator sees the whole document; the default template lists
 * only fields that searches may show. Documents beyond `textBytes` are left out of both.
 */
function chatSearchBytes(engine: EngineReader, { indexUid, request, textBytes, ruleBook, scope }: ChatJob): Buffer {
  const find = (view: Parameters<typeof searchDocuments>[0]): ChatFindings => {
    const { settings } = view;
    const { documentTemplate, documentTemplateMaxBytes } = resolvedChat(settings.chat);
    const texts: string[] = [];
    const documents: unknown[] = [];
    let bytesLeft = textBytes;
    for (const { hit, document } of searchDocuments(view, request, { ruleBook })) {
      const variables = documentVariables(document, (name) => isSearchableField(name, settings));
      const shown =
        'fields' in variables
          ? { ...variables, fields: variables.fields.filter(({ name }) => isDisplayedField(name, settings)) }
          : variables;
      const text = renderDocumentText(documentTemplate, shown, documentTemplateMaxBytes);
      bytesLeft -= Buffer.byteLength(text) + 1;
      if (bytesLeft < 0) break;
      texts.push(text);
      documents.push(hit);
    }
    return { text: texts.join('\n'), documents };
  };
  return ownBytes(toJsonText(engine.withView(indexUid, find, indexAccess(scope))));
}

/** In a buffer of its own, which may be transferred to another thread. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
