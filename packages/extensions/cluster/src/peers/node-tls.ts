import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { LaunchError } from '@fossick/instance';
import type { OutboundTls } from '@fossick/outbound';
import type { ClusterTls } from '../options.js';

/** Reads the files of a node's certificate. Throws LaunchError when one is missing or they do not go together. */
export function readNodeTls({ certFile, keyFile, caFile }: ClusterTls): OutboundTls {
  const tls = { cert: read('cert', certFile), key: read('key', keyFile), ca: read('ca', caFile) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new LaunchError(
      `--cluster-tls-cert, -key and -ca cannot be used together: ${(error as Error).message}; ` +
        'write files of PEM, the key that of the certificate',
      { cause: error },
    );
  }
  return tls;
}

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new LaunchError(
      `--cluster-tls-${name}: ${file} cannot be read: ${(error as Error).message}; name a file of PEM that the user of the server may read`,
      { cause: error },
    );
  }
}

/** What certificates are refused for, by the codes of OpenSSL and Node.js. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for other names than that of its address'],
  ...[
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_SIGNATURE_FAILURE',
  ].map((code) => [code, 'is not signed by an authority of --cluster-tls-ca'] as const),
]);

/** Why the certificate of another node is refused, as the end of a sentence; undefined for other errors. */
export function refusalOf(code: unknown): string | undefined {
  return REASONS.get(String(code));
}
