import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LaunchError } from '@fossick/instance';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clock } from '../node/nodes.test-support.js';
import type { ClusterOptions, ClusterTls } from '../options.js';
import { readNodeTls } from './node-tls.js';
import { PeerClient } from './peer-client.js';
import { FOLLOW_PATH, type Followed, type PeerAnswer, PeerServer, VISIBLE_PATH } from './peer-server.js';

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Authorities and certificates of nodes, made by openssl in a folder of their own. */
class Certificates {
  readonly folder = mkdtempSync(join(tmpdir(), 'fossick-certificates-'));
  private count = 0;

  /** A new authority; the name of its files without their endings. */
  authority(): string {
    const name = join(this.folder, `ca-${++this.count}`);
    run('req', '-x509', ...EC, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', '/CN=authority');
    return name;
  }

  /** A certificate for an address, signed by an authority; its holder trusts that one and no other. */
  of(authority: string, address = 'IP:127.0.0.1', days = 2): ClusterTls {
    const name = join(this.folder, `node-${++this.count}`);
    writeFileSync(`${name}.ext`, `subjectAltName=${address}`);
    run('req', ...EC, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=node');
    const signing = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
    const rest = ['-days', String(days), '-extfile', `${name}.ext`, '-out', `${name}.pem`];
    run('x509', '-req', '-in', `${name}.csr`, ...signing, ...rest);
    return { certFile: `${name}.pem`, keyFile: `${name}.key`, caFile: `${authority}.pem` };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function run(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

const certificates = new Certificates();
let ours: string;
let foreign: string;
beforeAll(() => {
  ours = certificates.authority();
  foreign = certificates.authority();
});
afterAll(() => certificates.remove());

const optionsOf = (tls: ClusterTls | null): ClusterOptions => ({
  ...{ logUrl: null, objectsUrl: 'file:///nowhere', url: 'https://127.0.0.1:1', secret: null, tls },
  ...{
    listen: { host: '127.0.0.1', port: 0 },
    role: 'all',
    visible: 'all',
    stale: 'serve',
    keepHours: 24,
    lingerMs: 0,
  },
});

/** A leader and a follower with these certificates, until the follower was heard or one of the two was refused. */
async function meet(leader: ClusterTls, follower: ClusterTls | null) {
  const heard: Followed[] = [];
  const refusals: string[] = [];
  const hear = async (caller: Followed): Promise<PeerAnswer> => {
    heard.push(caller);
    return { position: caller.position };
  };
  const server = new PeerServer(optionsOf(leader), { [FOLLOW_PATH]: hear, [VISIBLE_PATH]: hear }, (message) =>
    refusals.push(message),
  );
  const port = await server.listen();
  const client = new PeerClient({
    options: optionsOf(follower),
    id: 'follower',
    clock,
    position: () => 5,
    onMore: async () => undefined,
    onRefusal: (message) => refusals.push(message.replace(/127\.0\.0\.1(:\d+)?/, 'ADDRESS')),
  });
  client.follow(`https://127.0.0.1:${port}`);
  await vi.waitFor(() => expect(heard.length + refusals.length).toBeGreaterThan(0), { timeout: 20_000 });
  await client.close();
  await server.close();
  return { isHeard: heard.length > 0, refusal: refusals[0] };
}

describe('nodes with certificates', () => {
  it('talk to one another when both are of one authority', async () => {
    expect(await meet(certificates.of(ours), certificates.of(ours))).toEqual({ isHeard: true, refusal: undefined });
  });

  it.each([
    ['has expired', () => certificates.of(ours, 'IP:127.0.0.1', -1)],
    ['is for other names than that of its address', () => certificates.of(ours, 'DNS:other.example')],
    [
      'is not signed by an authority of --cluster-tls-ca',
      () => ({ ...certificates.of(foreign), caFile: `${ours}.pem` }),
    ],
  ])('do not follow a leader whose certificate %s', async (reason, leader) => {
    expect(await meet(leader(), certificates.of(ours))).toEqual({
      isHeard: false,
      refusal: `The leader at https://ADDRESS was refused: its certificate ${reason}`,
    });
  });

  it.each([
    ['has expired', () => certificates.of(ours, 'IP:127.0.0.1', -1)],
    [
      'is not signed by an authority of --cluster-tls-ca',
      () => ({ ...certificates.of(foreign), caFile: `${ours}.pem` }),
    ],
  ])('do not answer a follower whose certificate %s', async (reason, follower) => {
    expect(await meet(certificates.of(ours), follower())).toEqual({
      isHeard: false,
      refusal: `A node that called this one was refused: its certificate ${reason}`,
    });
  });

  it('do not start without their files, or with a key of another certificate', () => {
    const tls = certificates.of(ours);
    expect(() => readNodeTls({ ...tls, keyFile: certificates.of(ours).keyFile })).toThrow(
      /^--cluster-tls-cert, -key and -ca cannot be used together: .*; write files of PEM, the key that of the cert/,
    );
    expect(() => readNodeTls({ ...tls, caFile: '/nowhere/ca.pem' })).toThrow(/^--cluster-tls-ca: .*nowhere.*: ENOENT/);
    const noPem = join(certificates.folder, 'text');
    writeFileSync(noPem, 'no certificate');
    expect(() => readNodeTls({ ...tls, certFile: noPem })).toThrow(LaunchError);
  });
});
