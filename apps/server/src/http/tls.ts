import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SecureServerOptions } from 'node:http2';
import type { Server as NetServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { LaunchError, type TlsFiles } from '@fossick/instance';

const SESSION_COUNT_MAX = 4_096;
/** Requests at a time over one HTTP/2 connection: RFC 9113 recommends at least 100. */
export const STREAM_COUNT_MAX = 128;

/** Node's options for serving HTTP/2 and HTTP/1 over TLS. Throws LaunchError for files that cannot be read or used. */
export function readTlsOptions(files: TlsFiles): SecureServerOptions {
  const secrets = {
    cert: read(files.certFile, 'cert'),
    key: read(files.keyFile, 'key'),
    ...(files.authFile === null ? {} : { ca: read(files.authFile, 'auth') }),
  };
  // it is served elsewhere; here it is found missing before a database is created
  if (files.ocspFile !== null) read(files.ocspFile, 'ocsp');
  try {
    createSecureContext(secrets);
  } catch (error) {
    const names = [files.certFile, files.keyFile, files.authFile].filter((name) => name !== null).join(', ');
    throw new LaunchError(`the TLS files ${names} cannot be used: ${(error as Error).message}`);
  }
  return {
    allowHTTP1: true,
    settings: { maxConcurrentStreams: STREAM_COUNT_MAX },
    ...secrets,
    ...(files.authFile === null ? {} : { requestCert: true }),
    rejectUnauthorized: files.requiresAuth,
    secureOptions: files.allowsTickets ? 0 : constants.SSL_OP_NO_TICKET,
  };
}

/** Serves the stapled OCSP response and the resumption of sessions. */
export function serveTlsSessions(server: Pick<NetServer, 'on'>, files: TlsFiles): void {
  if (files.ocspFile !== null) {
    const response = read(files.ocspFile, 'ocsp');
    server.on('OCSPRequest', (_cert: Buffer, _issuer: Buffer, done: (error: null, response: Buffer) => void) =>
      done(null, response),
    );
  }
  if (!files.allowsResumption) return;
  const sessions = new Map<string, Buffer>();
  server.on('newSession', (id: Buffer, data: Buffer, done: () => void) => {
    if (sessions.size >= SESSION_COUNT_MAX) sessions.delete(sessions.keys().next().value ?? '');
    sessions.set(id.toString('hex'), data);
    done();
  });
  server.on('resumeSession', (id: Buffer, done: (error: null, data: Buffer | null) => void) =>
    done(null, sessions.get(id.toString('hex')) ?? null),
  );
}

function read(file: string, name: 'cert' | 'key' | 'auth' | 'ocsp'): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new LaunchError(
      `the TLS file ${file} cannot be read (${code}): name one that the user of the server may read with --ssl-${name}-path`,
      { cause: error },
    );
  }
}
