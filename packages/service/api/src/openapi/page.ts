import { createHash } from 'node:crypto';
import { type MoreOperations, openApiDocument } from './document.js';
import type { Json, JsonObject } from './json-schema.js';

/** The only style of the page; the content security policy has its hash. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --link: #2458c5; --code: #7a3e00 }
@media (prefers-color-scheme: dark) { :root { --link: #8db4ff; --code: #ffc27a } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem }
a { color: var(--link) } code, pre { font: 0.9em/1.45 ui-monospace, monospace } code { color: var(--code) }
pre { background: var(--soft); padding: 0.7rem; overflow-x: auto; border-radius: 6px }
nav ul { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; list-style: none; padding: 0 }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0.5rem 0; padding: 0 0.8rem }
summary { cursor: pointer; padding: 0.5rem 0 } summary b { display: inline-block; min-width: 4.2rem }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 } td, th { border-bottom: 1px solid var(--line); padding: 0.3rem 0.5rem; text-align: left; vertical-align: top }
.scroll { overflow-x: auto }
`;

type Schema = JsonObject;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Content {
  readonly [type: string]: { readonly schema: Schema; readonly example?: Json };
}
interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An HTML page of an OpenAPI document. It runs no script and loads nothing. O(document) */
export function pageOf(document: JsonObject): string {
  const { info, tags, paths, components } = document as JsonObject & Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  );
  const nav = [...tags.map(({ name }) => name), 'Schemas'].map(
    (name) => `<li><a href="#part-${anchor(name)}">${escaped(name)}</a></li>`,
  );
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ described }) => described.tags.includes(name));
    const shown = own.map(({ path, method, described }) => operationOf(path, method, described));
    return `<section aria-labelledby="part-${anchor(name)}"><h2 id="part-${anchor(name)}">${escaped(name)}</h2><p>${prose(description)}</p>${shown.join('')}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${anchor(name)}"><summary><code>${escaped(name)}</code> ${prose(textAt(schema, 'description'))}</summary>${membersOf(schema)}</details>`,
  );
  const about = info.description
    .split('\n\n')
    .map((paragraph) => `<p>${prose(paragraph)}</p>`)
    .join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)} API ${escaped(info.version)}</title><style>${PAGE_STYLE}</style></head>
<body><header><h1>${escaped(info.title)} API</h1>${about}<p>For programs: <a href="openapi.json">openapi.json</a>.</p></header>
<nav aria-label="Parts"><ul>${nav.join('')}</ul></nav>
<main>${sections.join('')}
<section aria-labelledby="part-schemas"><h2 id="part-schemas">Schemas</h2>${schemas.join('')}</section></main></body></html>
`;
}

function operationOf(path: string, method: string, described: Described): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = described;
  const rows = parameters.map(({ name, in: location, required, description: says = '', schema }) =>
    row([
      `<code>${escaped(name)}</code>`,
      location,
      typeOf(schema),
      `${prose(says)}${presetOf(schema)}${required === true ? ' Required.' : ''}`,
    ]),
  );
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema, example }]) => `<h4>Body, <code>${type}</code></h4>${membersOf(schema)}${exampleOf(example)}`,
  );
  const answers = Object.entries(responses).map(([status, { description: says, content = {} }]) => {
    const [first] = Object.values(content);
    const isError = says.startsWith('An error');
    const shown = first === undefined || isError ? '' : `<br>${typeOf(first.schema)}${exampleOf(first.example)}`;
    return row([`<code>${status}</code>`, `${prose(says)}${shown}`]);
  });
  return `<details id="${anchor(operationId)}"><summary><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code> ${escaped(summary)}</summary>
<p>${prose(description)}</p>
${rows.length === 0 ? '' : table(['Parameter', 'In', 'Type', 'Meaning'], rows)}${body.join('')}
${table(['Status', 'Answer'], answers)}</details>`;
}

/** The members of an object, or the type of any other schema. */
function membersOf(schema: Schema): string {
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined;
  if (properties === undefined) return `<p>${typeOf(schema)} ${prose(textAt(schema, 'description'))}</p>`;
  const required = (schema['required'] ?? []) as readonly string[];
  const rows = Object.entries(properties).map(([name, member]) =>
    row([
      `<code>${escaped(name)}</code>`,
      typeOf(member),
      `${prose(textAt(member, 'description'))}${presetOf(member)}${required.includes(name) ? ' Required.' : ''}`,
    ]),
  );
  return table(['Member', 'Type', 'Meaning'], rows);
}

/** The type of a schema, in words. */
function typeOf(schema: Schema): string {
  const { $ref, anyOf, allOf, enum: words, const: only, type, items, additionalProperties } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!;
    return `<a href="#schema-${anchor(name)}">${escaped(name)}</a>`;
  }
  if (only !== undefined) return `<code>${escaped(JSON.stringify(only))}</code>`;
  if (Array.isArray(words)) {
    const shown = (words as Json[]).slice(0, 24).map((word) => `<code>${escaped(String(word))}</code>`);
    return `${shown.join(', ')}${words.length > shown.length ? ` and ${words.length - shown.length} more` : ''}`;
  }
  const several = (anyOf ?? allOf) as readonly Schema[] | undefined;
  if (several !== undefined) return [...new Set(several.map(typeOf))].join(' or ');
  if (Array.isArray(type)) return (type as string[]).join(' or ');
  if (type === 'array') return `list of ${typeOf((items ?? {}) as Schema)}`;
  if (
    type === 'object' &&
    typeof additionalProperties === 'object' &&
    Object.keys(additionalProperties as object).length > 0
  )
    return `map of ${typeOf(additionalProperties as Schema)}`;
  return typeof type === 'string' ? type : 'anything';
}

const presetOf = (schema: Schema): string =>
  schema['default'] === undefined ? '' : ` Default: <code>${escaped(JSON.stringify(schema['default']))}</code>.`;
const exampleOf = (example: Json | undefined): string =>
  example === undefined || example === ''
    ? ''
    : `<pre>${escaped(typeof example === 'string' ? example : JSON.stringify(example, null, 2))}</pre>`;
const table = (heads: readonly string[], rows: readonly string[]): string =>
  `<div class="scroll"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
const row = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const textAt = (schema: Schema, name: 'description'): string => (typeof schema[name] === 'string' ? schema[name] : '');
const anchor = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
/** Text with code between backticks. */
const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** The OpenAPI document of a server and its page: both are made once. */
export class Reference {
  /** The document as JSON bytes. */
  readonly json: Buffer;
  readonly page: Buffer;
  /** The content security policy of the page: nothing but its own style is loaded or run. */
  readonly policy: string;

  constructor(more: readonly MoreOperations[] = []) {
    const document = openApiDocument(more);
    this.json = Buffer.from(JSON.stringify(document));
    this.page = Buffer.from(pageOf(document));
    const hash = createHash('sha256').update(PAGE_STYLE).digest('base64');
    this.policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  }
}
