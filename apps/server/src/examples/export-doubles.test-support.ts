import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Answer = Readonly<Record<string, unknown>>;
/** What one request is answered, undefined for one that the server does not know. */
type Answering = (path: string, body: string) => Answer | undefined;

/**
 * Stands for the server that a guide exports from: it gives documents in parts, as the public client asks for them. Other
 * requests are answered with 404.
 */
export class ExportDouble {
  private readonly server: Server;

  constructor(answering: Answering) {
    this.server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url!, 'http://a');
      const answer = answering(`${request.method} ${pathname}`, await text(request));
      // its client refuses a server that does not say this
      response.setHeader('x-elastic-product', 'Elasticsearch');
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { message: 'unknown' }));
    });
  }

  /** `127.0.0.1:PORT` */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The records of Algolia's index `products`, one for each page of its `browse`. */
export function browsed(records: readonly Answer[]): Answering {
  return (path, body) => {
    if (path !== 'POST /1/indexes/products/browse') return undefined;
    const { cursor = '0' } = JSON.parse(body) as { cursor?: string };
    const at = Number(cursor);
    return { hits: records.slice(at, at + 1), ...(at + 1 < records.length ? { cursor: String(at + 1) } : {}) };
  };
}

/** The documents of Elasticsearch's index `articles`, one for each page of a scroll. */
export function scrolled(documents: readonly Answer[]): Answering {
  let at = 0;
  const page = (): Answer => ({ _scroll_id: 'scroll', hits: { hits: documents.slice(at++, at) } });
  return (path) => {
    if (path === 'GET /articles/_search' || path === 'POST /articles/_search') at = 0;
    else if (path === 'DELETE /_search/scroll') return { succeeded: true, num_freed: 1 };
    else if (path !== 'POST /_search/scroll') return undefined;
    return page();
  };
}
