import { createHash } from 'node:crypto';
import { type MoreOperations, openApiDocument } from './document.js';
import { PAGE_STYLE, pageOf } from './page.js';

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
