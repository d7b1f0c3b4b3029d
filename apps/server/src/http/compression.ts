import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Below this size a packet goes out whole anyway, and compressing costs more than it saves. */
const MIN_BYTES = 1024;
type Encoding = 'br' | 'gzip' | 'deflate';
const compressors: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 4 }),
  deflate: (bytes) => promisify(deflate)(bytes, { level: 4 }),
};

/** Compresses answers the way the client's Accept-Encoding prefers. */
export function registerCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const accepted = request.headers['accept-encoding'];
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (accepted === undefined || !isWhole || reply.hasHeader('content-encoding')) return done(null, payload);
    if (payload.length < MIN_BYTES) return done(null, payload);
    const encoding = preferredEncoding(accepted);
    if (encoding === undefined) return done(null, payload);
    compressors[encoding](typeof payload === 'string' ? Buffer.from(payload) : payload).then(
      (compressed) => {
        reply.header('content-encoding', encoding).header('vary', 'accept-encoding').removeHeader('content-length');
        done(null, compressed);
      },
      (error: Error) => done(error),
    );
  });
}

/** The encoding of the highest quality; ties go to the better ratio. */
export function preferredEncoding(header: string): Encoding | undefined {
  const quality = new Map<string, number>();
  for (const part of header.split(',')) {
    const [name, ...parameters] = part.trim().toLowerCase().split(';');
    const q = parameters.map((p) => p.trim()).find((p) => p.startsWith('q='));
    quality.set(name!.trim(), q === undefined ? 1 : Number(q.slice(2)));
  }
  const of = (name: string): number => quality.get(name) ?? quality.get('*') ?? 0;
  let best: Encoding | undefined;
  for (const name of ['br', 'gzip', 'deflate'] as const) {
    if (of(name) > 0 && (best === undefined || of(name) > of(best))) best = name;
  }
  return best !== undefined && of(best) >= (quality.get('identity') ?? 0) ? best : undefined;
}
