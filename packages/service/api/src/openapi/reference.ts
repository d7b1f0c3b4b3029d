import { createHash } from 'node:crypto';
import { openApiDocument } from './document.js';
import type { JsonObject } from './json-schema.js';
import { PAGE_STYLE, pageOf } from './page.js';

let document: JsonObject | undefined;
let json: Buffer | undefined;
let page: Buffer | undefined;

const known = (): JsonObject => {
  document ??= openApiDocument();
  return document;
};

/** The OpenAPI document as JSON bytes. */
export function referenceJson(): Buffer {
  json ??= Buffer.from(JSON.stringify(known()));
  return json;
}

/** The page of the document, and its content security policy: nothing but its own style is loaded or run. */
export function referencePage(): { readonly page: Buffer; readonly policy: string } {
  page ??= Buffer.from(pageOf(known()));
  const hash = createHash('sha256').update(PAGE_STYLE).digest('base64');
  return {
    page,
    policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}
