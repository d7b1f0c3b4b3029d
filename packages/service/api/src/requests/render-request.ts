import { own, sharedError } from '@fossick/base';
import { optional, type Parser, parsers, readFields, required, type Where, wrongType } from '@fossick/base/contract';

const { anything, object, oneOf, positiveInteger, string } = parsers;

const TEMPLATE_CODE = 'invalid_render_template';
const INPUT_CODE = 'invalid_render_input';

/** Required and optional members of each kind. */
const TEMPLATE_KINDS: Readonly<Record<string, { readonly needs: readonly string[]; readonly may: readonly string[] }>> =
  {
    documentTemplate: { needs: ['indexUid', 'embedder'], may: ['documentTemplateMaxBytes'] },
    chatDocumentTemplate: { needs: ['indexUid'], may: ['documentTemplateMaxBytes'] },
    indexingFragment: { needs: ['indexUid', 'embedder', 'fragment'], may: [] },
    searchFragment: { needs: ['indexUid', 'embedder', 'fragment'], may: [] },
    inlineDocumentTemplate: { needs: ['inline'], may: ['documentTemplateMaxBytes'] },
    inlineFragment: { needs: ['inline'], may: [] },
  };
const INPUT_KINDS: typeof TEMPLATE_KINDS = {
  indexDocument: { needs: ['indexUid', 'id'], may: [] },
  inlineDocument: { needs: ['inline'], may: [] },
  inlineSearch: { needs: ['inline'], may: [] },
};

export interface RenderTemplate {
  readonly kind: string;
  readonly indexUid?: string;
  readonly embedder?: string;
  readonly fragment?: string;
  readonly inline?: unknown;
  readonly documentTemplateMaxBytes?: number;
}
export interface RenderInput {
  readonly kind: string;
  readonly indexUid?: string;
  /** As text, in whatever type it was sent. */
  readonly id?: string;
  readonly inline?: Record<string, unknown>;
}

const documentId: Parser<string> = (value, where) => {
  if (typeof value !== 'string' && typeof value !== 'number') throw wrongType(where, 'a string or a number', value);
  return String(value);
};
const TEMPLATE_FIELDS = {
  kind: required(TEMPLATE_CODE, oneOf(...Object.keys(TEMPLATE_KINDS)), TEMPLATE_CODE),
  indexUid: optional(TEMPLATE_CODE, string),
  embedder: optional(TEMPLATE_CODE, string),
  fragment: optional(TEMPLATE_CODE, string),
  inline: optional(TEMPLATE_CODE, anything),
  documentTemplateMaxBytes: optional(TEMPLATE_CODE, positiveInteger),
};
const INPUT_FIELDS = {
  kind: required(INPUT_CODE, oneOf(...Object.keys(INPUT_KINDS)), INPUT_CODE),
  indexUid: optional(INPUT_CODE, string),
  id: optional(INPUT_CODE, documentId),
  inline: optional(INPUT_CODE, anything),
};
const SEARCH_FIELDS = { q: optional(INPUT_CODE, string), media: optional(INPUT_CODE, anything) };

const template: Parser<RenderTemplate> = (value, where) => {
  const given = readKind(value, where, TEMPLATE_FIELDS, TEMPLATE_KINDS) as Record<string, unknown> & RenderTemplate;
  if (given.kind === 'inlineDocumentTemplate') string(given.inline, { ...where, path: `${where.path}.inline` });
  return given;
};
const input: Parser<RenderInput> = (value, where) => {
  const given = readKind(value, where, INPUT_FIELDS, INPUT_KINDS) as Record<string, unknown> & RenderInput;
  const at = { ...where, path: `${where.path}.inline` };
  if (given.kind === 'inlineDocument') object(given.inline, at);
  if (given.kind === 'inlineSearch') readFields(given.inline, SEARCH_FIELDS, { unknownCode: INPUT_CODE }, at.path);
  return given;
};
const BODY = {
  template: required(TEMPLATE_CODE, template, 'bad_request'),
  input: optional(INPUT_CODE, input),
};

/** Reads the body of `/render-template`. Throws invalid_render_template, invalid_render_input and bad_request. */
export function readRenderRequest(body: unknown): { template: RenderTemplate; input: RenderInput | null } {
  const received = readFields(body, BODY);
  return { template: received.template!, input: received.input ?? null };
}

/** An object whose `kind` determines its other members. */
function readKind(
  value: unknown,
  where: Where,
  fields: typeof TEMPLATE_FIELDS | typeof INPUT_FIELDS,
  kinds: typeof TEMPLATE_KINDS,
): Record<string, unknown> {
  const given: Record<string, unknown> = { ...readFields(value, fields, { unknownCode: where.code }, where.path) };
  const kind = String(given['kind']);
  const { needs, may } = own(kinds, kind)!;
  for (const name of needs) {
    // null is a valid JSON fragment
    const isAbsent =
      name === 'inline' ? !('inline' in given) : own(given, name) === undefined || own(given, name) === null;
    if (isAbsent) throw sharedError(where.code, 'missingMember', where.path, kind, name);
  }
  for (const [name, member] of Object.entries(given)) {
    if (name === 'kind' || needs.includes(name)) continue;
    if (member === null) delete given[name];
    else if (!may.includes(name)) throw sharedError(where.code, 'extraMember', where.path, kind, name);
  }
  return given;
}
