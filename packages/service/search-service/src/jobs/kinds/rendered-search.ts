import { toJsonText } from '@fossick/documents';
import { documentVariables, renderDocumentText } from '@fossick/documents/templates';
import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { type RuleBook, searchDocuments } from '@fossick/search';
import { isDisplayedField, isSearchableField } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';
import { found, type JobKind, placeOfSearch } from './job.js';

/** The hits of a search, also as a text. */
export interface RenderedHits {
  /** The documents rendered by the template, one after the other. */
  readonly text: string;
  /** The same documents, displayed attributes only. */
  readonly documents: readonly unknown[];
}

/** A search in one index whose hits are rendered: JSON of RenderedHits. `textBytes`: limit of the rendered texts. */
export interface RenderedJob {
  readonly kind: 'rendered';
  readonly indexUid: string;
  readonly request: SearchRequest;
  readonly template: string;
  /** Of the text of one document. */
  readonly templateBytesMax: number;
  readonly textBytes: number;
  readonly ruleBook: RuleBook | null;
  readonly scope: IndexScope;
}

export const RENDERED: JobKind<RenderedJob, Buffer> = {
  place: placeOfSearch,
  run: (engine, job) => found(renderedBytes(engine, job)),
};

/**
 * A template written by the operator sees the whole document; the default template lists only fields that searches may
 * show. Documents beyond `textBytes` are left out of both.
 */
function renderedBytes(engine: EngineReader, job: RenderedJob): Buffer {
  const { indexUid, request, template, templateBytesMax, textBytes, ruleBook, scope } = job;
  const find = (view: Parameters<typeof searchDocuments>[0]): RenderedHits => {
    const { settings } = view;
    const texts: string[] = [];
    const documents: unknown[] = [];
    let bytesLeft = textBytes;
    for (const { hit, document } of searchDocuments(view, request, { ruleBook })) {
      const variables = documentVariables(document, (name) => isSearchableField(name, settings));
      const shown =
        'fields' in variables
          ? { ...variables, fields: variables.fields.filter(({ name }) => isDisplayedField(name, settings)) }
          : variables;
      const text = renderDocumentText(template, shown, templateBytesMax);
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
