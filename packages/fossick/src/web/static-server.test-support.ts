import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

/** What a file server of tests does to its answers. */
export interface FileServerOptions {
  /** Folders by the first part of the path: `/films/manifest.json` is in the folder of `films`. */
  readonly folders: Readonly<Record<string, string>>;
  /** Answers with the whole file where a range is asked for. */
  readonly ignoresRanges?: boolean;
  /** Milliseconds before each answer. */
  readonly delayMs?: number;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** A server of files as a web space has it: ranges, no compression. It counts what it sends. */
export class FileServer {
  readonly paths: string[] = [];
  bytes = 0;
  private readonly options: FileServerOptions;
  private readonly server: Server;

  constructor(options: FileServerOptions) {
    this.options = options;
    this.server = createServer((request, response) => {
      setTimeout(() => this.answer(request.url ?? '/', request.headers.range, response), options.delayMs ?? 0);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forgets what was counted. */
  reset(): void {
    this.paths.length = 0;
    this.bytes = 0;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private answer(url: string, range: string | undefined, response: import('node:http').ServerResponse): void {
    const [, folder = '', ...rest] = new URL(url, 'http://127.0.0.1').pathname.split('/');
    const file = join(this.options.folders[folder] ?? '', ...rest);
    this.paths.push(url);
    if (this.options.folders[folder] === undefined || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const { size } = statSync(file);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    const isPart = from !== undefined && this.options.ignoresRanges !== true;
    const [start, end] = isPart ? [Number(from), Math.min(size - 1, Number(to))] : [0, size - 1];
    this.bytes += end - start + 1;
    response.writeHead(isPart ? 206 : 200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-length': String(end - start + 1),
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      ...(isPart ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}),
    });
    if (size === 0) response.end();
    else createReadStream(file, { start, end }).pipe(response);
  }
}
