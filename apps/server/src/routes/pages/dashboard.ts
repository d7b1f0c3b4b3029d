import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { pathOf, queryOf, type ServerContext, sendBytes, sendJson } from '../../context.js';
import { addVary, constantAnswer } from '../../http/answers/compression.js';
import { noRoute } from '../../http/errors.js';
import type { Router } from '../../http/router.js';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

const NONCE_BYTES = 16;
/** The sample films, which the page of an empty server offers. */
const SAMPLE_FILE = 'sample.json';
/** Files are named by their content, so they can be cached forever. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * The dashboard at `/` and its files, except in production and where it is not installed; there `/` is a line of JSON.
 * None of it is secret, so no key is required: the page asks for one itself.
 */
export function registerDashboard(router: Router, context: ServerContext): void {
  let page: BuiltPage | null | undefined;
  const shippedPage = (): BuiltPage | null => {
    if (context.options.isProduction) return null;
    page ??= readBuiltPage();
    return page;
  };
  let madeSample: Promise<Buffer> | undefined;
  // anyone may ask for it again and again: it is made once
  const sample = (): Promise<Buffer> => {
    madeSample ??= import('../../sample.js')
      .then(({ sampleJson }) => sampleJson())
      .catch((error: unknown) => {
        madeSample = undefined;
        throw error;
      });
    return madeSample;
  };
  router.on('GET', '/', (request, reply) => {
    addVary(reply, 'accept');
    const shipped = wantsJson(request.headers.accept) ? null : shippedPage();
    if (shipped !== null) {
      const hasPictures = new URLSearchParams(queryOf(request)).get('pictures') === 'on';
      return sendPage(reply, shipped, context, hasPictures);
    }
    const isAwaited = !wantsJson(request.headers.accept) && !context.options.isProduction && isPageComing();
    return isAwaited ? sendComing(reply) : sendJson(reply, { status: 'Fossick is running' });
  });
  router.on('GET', '/dashboard/:file', async (request, reply) => {
    const name = pathOf<'file'>(request).file;
    const shipped = shippedPage();
    if (shipped !== null && name === SAMPLE_FILE) return sendBytes(reply, constantAnswer(await sample()));
    const file = shipped?.files.get(name);
    if (file === undefined) throw noRoute(request.url);
    return reply
      .header('content-type', file.type)
      .header('cache-control', FOR_EVER)
      .header('x-content-type-options', 'nosniff')
      .send(constantAnswer(file.bytes));
  });
}

/** A program that accepts JSON and no HTML gets the line of JSON. */
function wantsJson(accept: string | undefined): boolean {
  return accept?.includes('application/json') === true && !accept.includes('text/html');
}

/** The page knows the limit of a request, so that it cuts larger files, and the extensions, so that it shows no view of another one. */
function sendPage(
  reply: FastifyReply,
  { html }: BuiltPage,
  { options, extensions }: ServerContext,
  hasPictures: boolean,
): FastifyReply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  return sendHtml(
    reply,
    policyOf(nonce, hasPictures),
    html
      .replace('STYLE_NONCE', nonce)
      .replace('PAYLOAD_LIMIT', String(options.payloadLimitBytes))
      .replace('SERVED_EXTENSIONS', extensions.names.join(' ')),
  );
}

/** Shown for the seconds in which the first start of a checkout builds the dashboard. */
const COMING =
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Fossick</title>' +
  '<p>Fossick is running; its dashboard is being built, and comes by itself in a few seconds.</p></html>';

function sendComing(reply: FastifyReply): FastifyReply {
  return sendHtml(reply, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", COMING);
}

function sendHtml(reply: FastifyReply, policy: string, html: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .send(html);
}

/**
 * Scripts, styles, images and calls of this server only; the nonce is for style sheets that components write, never for
 * scripts. Pictures come from elsewhere where the user has chosen so for an index: the page reloads itself with `?pictures=on`.
 */
function policyOf(nonce: string, hasPictures: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:${hasPictures ? ' https: http:' : ''}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A file of the page and its headers. */
interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The built dashboard: its page, in which every answer replaces `STYLE_NONCE`, `PAYLOAD_LIMIT` and `SERVED_EXTENSIONS`, and its other files, by name. */
interface BuiltPage {
  readonly html: string;
  readonly files: ReadonlyMap<string, PageFile>;
}

/**
 * Whether the dashboard is being built at this moment, as by the first `npm start` of a checkout
 * (tools/run/quick-build.mjs).
 */
function isPageComing(): boolean {
  try {
    return existsSync(join(pageFolder(), 'build', 'next'));
  } catch {
    return false;
  }
}

function pageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('@fossick/dashboard/package.json'));
}

/**
 * Reads the built files of `@fossick/dashboard`, about a megabyte; null where it is not installed or not built. Names
 * come from the folder, never from a request: nothing outside of the folder can be requested.
 */
export function readBuiltPage(): BuiltPage | null {
  try {
    const folder = join(pageFolder(), 'dist');
    const files = new Map<string, PageFile>();
    for (const name of readdirSync(join(folder, 'dashboard'))) {
      const type = TYPES.get(extname(name));
      if (type !== undefined) files.set(name, { type, bytes: readFileSync(join(folder, 'dashboard', name)) });
    }
    return { html: readFileSync(join(folder, 'index.html'), 'utf8'), files };
  } catch {
    return null;
  }
}
