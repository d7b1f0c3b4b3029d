/** Renders templates to test them, in any thread with an engine, as plain data: parsing and rendering may take seconds. */

import {
  parseJson,
  type RenderInput,
  type RenderTemplate,
  readRenderRequest,
  requireFeature,
  type SearchFeatures,
} from '@fossick/api';
import { type ApiError, apiError, own } from '@fossick/base';
import { type JsonObject, toJsonText } from '@fossick/documents';
import {
  checkTemplate,
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_MAX_BYTES,
  documentVariables,
  renderDocumentText,
  renderFragment,
  TemplateSizes,
  type TemplateVariables,
} from '@fossick/documents/templates';
import type { EngineReader } from '@fossick/index';
import { type IndexScope, indexAccess, requireIndex } from '@fossick/instance/access';
import { type IndexSettings, isSearchableField } from '@fossick/settings';
import { requireInfo } from '../../indexes/index-info.js';
import { found, type JobKind } from './job.js';

/** A stored or given template, and how it is rendered. */
interface FoundTemplate {
  readonly text: unknown;
  readonly maxBytes: number | null;
  readonly settings: IndexSettings | null;
}

/** A request to render a template: the answer is its answer. */
export interface RenderJob {
  readonly kind: 'render';
  /** JSON. */
  readonly body: Uint8Array;
  /** The enabled experimental features. */
  readonly features: readonly string[];
  readonly scope: IndexScope;
}

export const RENDER: JobKind<RenderJob, Buffer> = {
  place: () => 'spare',
  run: (engine, job) => found(answerRender(engine, job)),
};

/** The answer as JSON bytes in a buffer of their own. @throws ApiError */
function answerRender(engine: EngineReader, { body, features, scope }: RenderJob): Buffer {
  const given = parseJson(Buffer.from(body.buffer, body.byteOffset, body.length), String);
  const { template, input } = readRenderRequest(given);
  const isOn: SearchFeatures = { isOn: (name) => features.includes(name) };
  requireFeature(isOn, 'renderRoute', '/render-template');
  checkGates(isOn, template, input);
  const access = indexAccess(scope);
  for (const { indexUid } of [template, input ?? {}]) if (indexUid !== undefined) requireIndex(access, indexUid);
  const source = findTemplate(engine, template);
  const fault = new TemplateSizes().add(source.text);
  if (fault !== undefined) throw wrongTemplate(fault);
  if (source.maxBytes !== null) checkTemplate(String(source.text));
  const rendered = input === null ? null : render(source, variablesOf(engine, input, source.settings));
  return Buffer.from(toJsonText({ template: source.text, rendered }));
}

function checkGates(features: SearchFeatures, template: RenderTemplate, input: RenderInput | null): void {
  if (template.kind === 'chatDocumentTemplate') requireFeature(features, 'chatCompletions', template.kind);
  if (template.kind.endsWith('Fragment')) requireFeature(features, 'multimodal', template.kind);
  if (input?.kind === 'inlineSearch') requireFeature(features, 'multimodal', input.kind);
}

function findTemplate(engine: EngineReader, template: RenderTemplate): FoundTemplate {
  const { kind, inline } = template;
  const maxBytes = template.documentTemplateMaxBytes ?? null;
  if (kind === 'inlineFragment') return { text: inline, maxBytes: null, settings: null };
  if (kind === 'inlineDocumentTemplate')
    return { text: inline, maxBytes: maxBytes ?? DEFAULT_TEMPLATE_MAX_BYTES, settings: null };
  const settings = engine.settings(requireInfo(engine, template.indexUid!).uid);
  const source = kind === 'chatDocumentTemplate' ? settings.chat : embedderOf(settings, template.embedder!);
  if (kind === 'indexingFragment' || kind === 'searchFragment')
    return { text: fragmentOf(source, kind, template.fragment!), maxBytes: null, settings };
  if (source.source === 'userProvided')
    throw wrongTemplate(`the embedder \`${template.embedder}\` gets its vectors from you, so it has no template`);
  const text = source.documentTemplate ?? DEFAULT_DOCUMENT_TEMPLATE;
  const ownMaxBytes = (source.documentTemplateMaxBytes as number | null) ?? DEFAULT_TEMPLATE_MAX_BYTES;
  return { text, maxBytes: maxBytes ?? ownMaxBytes, settings };
}

function embedderOf(settings: IndexSettings, name: string): Readonly<Record<string, unknown>> {
  const embedder = own(settings.embedders, name);
  if (embedder === undefined) throw wrongTemplate(`no embedder is named \`${name}\``);
  return embedder as Readonly<Record<string, unknown>>;
}

function fragmentOf(embedder: Readonly<Record<string, unknown>>, kind: string, name: string): unknown {
  const fragments = (embedder[`${kind}s`] ?? {}) as Record<string, { readonly value: unknown }>;
  const fragment = own(fragments, name);
  if (fragment === undefined) throw wrongTemplate(`no fragment is named \`${name}\``);
  return fragment.value;
}

function variablesOf(engine: EngineReader, input: RenderInput, settings: IndexSettings | null): TemplateVariables {
  if (input.kind === 'inlineSearch') return input.inline!;
  if (input.kind === 'inlineDocument') return variablesUnder(input.inline!, settings);
  const { uid } = requireInfo(engine, input.indexUid!);
  const document = engine.withView(uid, (view) => {
    const docId = view.docIdOf(input.id!);
    return docId === undefined ? undefined : view.document(docId);
  });
  if (document === undefined) throw apiError('render_document_not_found', uid, input.id);
  return variablesUnder(document, settings ?? engine.settings(uid));
}

/** Without settings (a template outside of any index) every field counts as searchable. */
function variablesUnder(document: JsonObject, settings: IndexSettings | null): TemplateVariables {
  if (settings === null) return documentVariables(document);
  return documentVariables(document, (name) => isSearchableField(name, settings));
}

function render({ text, maxBytes }: FoundTemplate, variables: TemplateVariables): unknown {
  return maxBytes === null ? renderFragment(text, variables) : renderDocumentText(String(text), variables, maxBytes);
}

function wrongTemplate(fault: string): ApiError {
  return apiError('invalid_render_template', fault);
}
