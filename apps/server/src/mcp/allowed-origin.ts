import { apiError } from '@fossick/base';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Programs send no `Origin`, browsers send that of the page: one of this machine, or of the list, in which `*` is any.
 * A page whose name is changed to an address of this machine (DNS rebinding) still has its own name there. Throws mcp_origin_not_allowed.
 */
export function requireOrigin(origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes('*')) return;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url !== undefined && (LOOPBACK.test(url.hostname) || allowed.includes(url.origin))) return;
  throw apiError('mcp_origin_not_allowed', origin.slice(0, 200));
}
