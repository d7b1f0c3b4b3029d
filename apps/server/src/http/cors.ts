import type { IncomingHttpHeaders } from 'node:http';
import { apiError } from '@fossick/base';
import type { FastifyInstance } from 'fastify';
import { addVary } from './answers/compression.js';

export const EVERY_CALLER: CallerLists = { httpOrigins: null, httpHosts: null, mcpOrigins: [] };
const QUOTED_CHARS = 200;
/** What no name server decides about: addresses, as URLs write them, and the name that always means this machine. */
const NO_NAME = /^(localhost|\d+\.\d+\.\d+\.\d+|\[.*\])$/;

/**
 * Pages of allowed origins, by default of any, with any method and any header. Others are refused, because a browser sends
 * some of their requests without asking first, and so is a request to another name than the server's own. Our own code
 * rather than @fastify/cors, because an OPTIONS request that is no preflight must reach the 405 of its route.
 */
export function registerCors(app: FastifyInstance, callers: CallerLists = EVERY_CALLER): void {
  app.addHook('onRequest', (request, reply, done) => {
    addVary(reply, 'origin');
    const { headers } = request;
    let allowed: string | undefined;
    try {
      requireHost(callers, headers);
      if (headers.origin !== undefined)
        allowed = allowedOrigin(callers, headers.origin, headers, request.routeOptions.url);
    } catch (error) {
      return done(error as Error);
    }
    if (allowed === undefined) return done();
    reply.header('access-control-allow-origin', allowed).header('access-control-expose-headers', '*');
    const method = headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || method === undefined) return done();
    addVary(reply, 'access-control-request-method, access-control-request-headers');
    reply
      .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
      .header('access-control-allow-headers', headers['access-control-request-headers'] ?? '*')
      .header('access-control-max-age', '86400');
    reply.code(200).send();
  });
}

/** Who may call a server, as its options say. */
export interface CallerLists {
  /** Origins of pages, `*` for any; null: pages of every origin. */
  readonly httpOrigins: readonly string[] | null;
  /** Names of this server, `*.` before a domain for all below it; null: every name. */
  readonly httpHosts: readonly string[] | null;
  /** Origins of pages that may use `/mcp` as well. */
  readonly mcpOrigins: readonly string[];
}

/**
 * Checks the name by which a request calls the server. A page whose name is changed to an address of this machine (DNS
 * rebinding) calls it by its own name. Throws host_not_allowed.
 */
export function requireHost({ httpHosts }: CallerLists, headers: IncomingHttpHeaders): void {
  if (httpHosts === null) return;
  for (const host of hostsOf(headers))
    if (!isKnownName(httpHosts, host)) throw apiError('host_not_allowed', host.slice(0, QUOTED_CHARS));
}

/**
 * What `Access-Control-Allow-Origin` says to the page that sent a request: its origin, or `*`. Programs send no `Origin`.
 * Throws origin_not_allowed.
 */
export function allowedOrigin(lists: CallerLists, origin: string, headers: IncomingHttpHeaders, path?: string): string {
  const { httpOrigins, mcpOrigins } = lists;
  if (httpOrigins === null || httpOrigins.includes('*')) return '*';
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const listed = path === '/mcp' ? [...httpOrigins, ...mcpOrigins] : httpOrigins;
  if (url !== undefined && (listed.includes(url.origin) || isOwnPage(lists, url, headers))) return origin;
  if (listed.includes('*')) return origin;
  throw apiError('origin_not_allowed', origin.slice(0, QUOTED_CHARS));
}

/** Whether this server has served the page: it is called by the name that the page has, which has to be one of its own. */
function isOwnPage({ httpHosts }: CallerLists, { protocol, host }: URL, headers: IncomingHttpHeaders): boolean {
  const hosts = hostsOf(headers);
  const isCalledSo = (each: string): boolean => urlOf(each, protocol)?.host === host;
  return hosts.length > 0 && hosts.every(isCalledSo) && isKnownName(httpHosts ?? [], host);
}

function isKnownName(names: readonly string[], host: string): boolean {
  const name = urlOf(host, 'http:')?.hostname.replace(/\.$/, '');
  if (name === undefined) return false;
  const isName = (each: string): boolean => (each.startsWith('*.') ? name.endsWith(each.slice(1)) : name === each);
  return NO_NAME.test(name) || names.some(isName);
}

/** HTTP/1 has `Host`, HTTP/2 `:authority`, and may have both. */
function hostsOf(headers: IncomingHttpHeaders): string[] {
  return [headers.host, headers[':authority']].filter((host) => typeof host === 'string');
}

/** The address of a host with or without a port; undefined for other text. */
function urlOf(host: string, protocol: string): URL | undefined {
  const text = `${protocol}//${host}`;
  return /^[^\s/@?#\\]+$/.test(host) && URL.canParse(text) ? new URL(text) : undefined;
}
