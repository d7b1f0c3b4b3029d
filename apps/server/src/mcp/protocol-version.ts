import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject } from '@fossick/documents';
import { RPC_CODES, RpcError, type RpcMessage } from './rpc-message.js';

/** Versions that a client names in `initialize`, the newest first. */
const INITIALIZED_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** Versions without `initialize`, which every request names. */
export const NAMED_VERSIONS = ['2026-07-28'] as const;
const ALL_VERSIONS: readonly string[] = [...NAMED_VERSIONS, ...INITIALIZED_VERSIONS];

/** A request without the header is of this version: the first with this transport, in which the header did not exist. */
const WITHOUT_HEADER = '2025-03-26';
/** The only version with several messages in one body. */
const WITH_BATCHES = '2025-03-26';
const STRUCTURED_FROM = '2025-06-18';

const META = 'io.modelcontextprotocol/';
const CLAIM = `${META}protocolVersion`;
const CAPABILITIES = `${META}clientCapabilities`;

/** What a version of the protocol allows. */
export interface Protocol {
  readonly version: string;
  /** Every request names its version, and there is no `initialize`. */
  readonly isNamed: boolean;
  readonly hasBatches: boolean;
  /** Results of tools are also JSON, besides their text. */
  readonly isStructured: boolean;
}

/** The version to use with a client that proposes one: the same, or the newest of this server. */
export function agreedVersion(proposed: unknown): string {
  return INITIALIZED_VERSIONS.find((version) => version === proposed) ?? INITIALIZED_VERSIONS[0];
}

/** The version that the headers name; throws RpcError for one that is not known. */
export function protocolOf(headers: IncomingHttpHeaders): Protocol {
  const version = headers['mcp-protocol-version'] ?? WITHOUT_HEADER;
  if (typeof version !== 'string' || !ALL_VERSIONS.includes(version)) throw unsupported(String(version));
  return {
    version,
    isNamed: isNamed(version),
    hasBatches: version === WITH_BATCHES,
    isStructured: version >= STRUCTURED_FROM,
  };
}

/**
 * The protocol of one message that is a whole body. A request of a version without `initialize` names the version, the method and the tool in
 * its headers and in itself, and both must agree. Throws RpcError.
 */
export function protocolOfMessage(headers: IncomingHttpHeaders, message: RpcMessage): Protocol {
  const isRequest = message.kind === 'request';
  const meta = isRequest ? message.params['_meta'] : undefined;
  const claim = isJsonObject(meta) ? meta[CLAIM] : undefined;
  if (claim === undefined) {
    // a client that begins cannot know the versions of the server, so it may send any
    const begins = isRequest && message.method === 'initialize';
    const protocol = begins ? protocolOf({}) : protocolOf(headers);
    if (protocol.isNamed && isRequest) throw missing(CLAIM);
    return protocol;
  }
  if (typeof claim !== 'string') throw missing(CLAIM);
  if (headers['mcp-protocol-version'] !== claim) throw mismatch('MCP-Protocol-Version', CLAIM);
  if (!isNamed(claim)) throw unsupported(claim);
  if (!isJsonObject((meta as Record<string, unknown>)[CAPABILITIES])) throw missing(CAPABILITIES);
  const { method, params } = message as Extract<RpcMessage, { readonly kind: 'request' }>;
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method', 'method');
  if (method === 'tools/call' && decodedHeader(headers['mcp-name']) !== params['name'])
    throw mismatch('Mcp-Name', 'params.name');
  return protocolOf(headers);
}

function isNamed(version: string): boolean {
  return (NAMED_VERSIONS as readonly string[]).includes(version);
}

/** Texts that headers cannot carry are sent as `=?base64?…?=`. */
function decodedHeader(value: string | readonly string[] | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(String(value)) ?? [];
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString();
  return typeof value === 'string' ? value : undefined;
}

function unsupported(requested: string): RpcError {
  const data = { supported: ALL_VERSIONS, requested };
  return new RpcError(RPC_CODES.unsupportedVersion, 'The protocol version is not supported.', { status: 400, data });
}
function missing(key: string): RpcError {
  const message = `\`_meta\` of the request lacks a valid \`${key}\`.`;
  return new RpcError(RPC_CODES.invalidParams, message, { status: 400 });
}
function mismatch(header: string, member: string): RpcError {
  const message = `The header \`${header}\` and \`${member}\` of the request differ.`;
  return new RpcError(RPC_CODES.headerMismatch, message, { status: 400 });
}
