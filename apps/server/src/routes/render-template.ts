import { requireIndex } from '@fossick/access';
import { requireFeature, requireInfo } from '@fossick/answers';
import { type ApiError, apiError, own } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';
import { type IndexSettings, isSearchableField } from '@fossick/settings';
import {
  checkTemplate,
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_MAX_BYTES,
  documentVariables,
  renderDocumentText,
  renderFragment,
  type TemplateVariables,
} from '@fossick/templates';
import { type RenderInput, type RenderTemplate, readNoQuery, readRenderRequest } from '@fossick/wire';
import { authorize, queryOf, type ServerContext, sendJson } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';

/** A stored or given template, and how it is rendered. */
interface FoundTemplate {
  readonly text: unknown;
  readonly maxBytes: number | null;
  readonly settings: IndexSettings | null;
}

/** Tests templates. */
export function registerRenderTemplate(router: Router, context: ServerContext): void {
  router.on('POST', '/render-template', async (request, reply) => {
    const access = authorize(context, request, 'settings.get');
    authorize(context, request, 'documents.get');
    readNoQuery(queryOf(request));
    const body = await readJson(request, context.options.readLimitBytes);
    const { template, input } = readRenderRequest(body);
    requireFeature(context.features, 'renderRoute', '/render-template');
    checkGates(context, template, input);
    for (const { indexUid } of [template, input ?? {}]) if (indexUid !== undefined) requireIndex(access, indexUid);
    const found = findTemplate(context, template);
    if (found.maxBytes !== null) checkTemplate(String(found.text));
    const rendered = input === null ? null : render(found, variablesOf(context, input, found.settings));
    return sendJson(reply, { template: found.text, rendered });
  });
}

function checkGates({ features }: ServerContext, template: RenderTemplate, input: RenderInput | null): void {
  if (template.kind === 'chatDocumentTemplate') requireFeature(features, 'chatCompletions', template.kind);
  if (template.kind.endsWith('Fragment')) requireFeature(features, 'multimodal', template.kind);
  if (input?.kind === 'inlineSearch') requireFeature(features, 'multimodal', input.kind);
}

function findTemplate(context: ServerContext, template: RenderTemplate): FoundTemplate {
  const { kind, inline } = template;
  const maxBytes = template.documentTemplateMaxBytes ?? null;
  if (kind === 'inlineFragment') return { text: inline, maxBytes: null, settings: null };
  if (kind === 'inlineDocumentTemplate')
    return { text: inline, maxBytes: maxBytes ?? DEFAULT_TEMPLATE_MAX_BYTES, settings: null };
  const settings = context.engine.settings(requireInfo(context.engine, template.indexUid!).uid);
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

function variablesOf(context: ServerContext, input: RenderInput, settings: IndexSettings | null): TemplateVariables {
  if (input.kind === 'inlineSearch') return input.inline!;
  if (input.kind === 'inlineDocument') return variablesUnder(input.inline!, settings);
  const { uid } = requireInfo(context.engine, input.indexUid!);
  const document = context.engine.withView(uid, (view) => {
    const docId = view.docIdOf(input.id!);
    return docId === undefined ? undefined : view.document(docId);
  });
  if (document === undefined) throw apiError('render_document_not_found', uid, input.id);
  return variablesUnder(document, settings ?? context.engine.settings(uid));
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
