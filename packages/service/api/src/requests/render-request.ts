import { own, sharedError } from '@fossick/base';
import {
  anything,
  checked,
  choice,
  described,
  type Fields,
  type Kind,
  kindOf,
  objectOf,
  optional,
  optionalNotNull,
  type Parser,
  parsers,
  positive,
  readFields,
  required,
  shown,
  text,
  type Where,
  wrongType,
} from '@fossick/base/contract';

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

const parseId: Parser<string> = (value, where) => {
  if (typeof value !== 'string' && typeof value !== 'number') throw wrongType(where, 'a string or a number', value);
  return String(value);
};
const documentId = kindOf(parseId, { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'a string or a number');
const TEMPLATE = {
  kind: required(TEMPLATE_CODE, choice(Object.keys(TEMPLATE_KINDS)), TEMPLATE_CODE),
  indexUid: optional(TEMPLATE_CODE, text('Index of the setting.')),
  embedder: optional(TEMPLATE_CODE, text('Embedder of the setting.')),
  fragment: optional(TEMPLATE_CODE, text('Name of the fragment.')),
  inline: optionalNotNull(TEMPLATE_CODE, anything('The template itself.')),
  documentTemplateMaxBytes: optional(TEMPLATE_CODE, positive('')),
};
const INPUT = {
  kind: required(INPUT_CODE, choice(Object.keys(INPUT_KINDS)), INPUT_CODE),
  indexUid: optional(INPUT_CODE, text('Index of the document.')),
  id: optional(INPUT_CODE, documentId),
  inline: optionalNotNull(INPUT_CODE, anything('The document or search itself.')),
};
const SEARCH = { q: optional(INPUT_CODE, text('')), media: optional(INPUT_CODE, anything('')) };

const parseTemplate: Parser<RenderTemplate> = (value, where) => {
  const given = readKind(value, where, TEMPLATE, TEMPLATE_KINDS) as Record<string, unknown> & RenderTemplate;
  if (given.kind === 'inlineDocumentTemplate') parsers.string(given.inline, { ...where, path: `${where.path}.inline` });
  return given;
};
const parseInput: Parser<RenderInput> = (value, where) => {
  const given = readKind(value, where, INPUT, INPUT_KINDS) as Record<string, unknown> & RenderInput;
  const at = { ...where, path: `${where.path}.inline` };
  if (given.kind === 'inlineDocument') parsers.object(given.inline, at);
  if (given.kind === 'inlineSearch') readFields(given.inline, SEARCH, { unknownCode: INPUT_CODE }, at.path);
  return given;
};
/** An object for which tests use only the example, because its kind says which members it needs. */
const byKind = <T>(fields: Fields, parse: Parser<T>, says: string, example: unknown): Kind<T> =>
  checked(shown(objectOf(fields), { ...described(says, [example]), 'x-only-examples': true }), parse);

/** Body of `/render-template`. */
export const RENDER_BODY = {
  template: required(
    TEMPLATE_CODE,
    byKind(TEMPLATE, parseTemplate, 'Which template; its kind says what else it needs.', {
      kind: 'inlineDocumentTemplate',
      inline: '{{doc.title}}',
    }),
    'bad_request',
  ),
  input: optional(
    INPUT_CODE,
    byKind(INPUT, parseInput, 'What it is filled with.', { kind: 'inlineDocument', inline: { title: 'Nemo' } }),
  ),
};

/** Reads the body of `/render-template`. Throws invalid_render_template, invalid_render_input and bad_request. */
export function readRenderRequest(body: unknown): { template: RenderTemplate; input: RenderInput | null } {
  const received = readFields(body, RENDER_BODY);
  return { template: received.template!, input: received.input ?? null };
}

/** An object whose `kind` determines its other members. */
function readKind(
  value: unknown,
  where: Where,
  fields: typeof TEMPLATE | typeof INPUT,
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
