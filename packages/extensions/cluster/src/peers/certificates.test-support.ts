import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterTls } from '../options.js';

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Authorities and certificates of nodes, made by openssl in a folder of their own. */
export class Certificates {
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
