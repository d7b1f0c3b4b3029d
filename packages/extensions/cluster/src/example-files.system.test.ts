/** Runs the nodes of examples/cluster as processes of this machine, with the options and certificates of the files. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPostgres } from '@fossick/replication/postgres/postgres-server.test-support';
import {
  freePort,
  pause,
  type ServerProcess,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { ROOT } from '@fossick/server/examples/page-blocks.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const EXAMPLE = join(ROOT, 'examples/cluster');
const NODES = ['fossick-1', 'fossick-2', 'fossick-3'] as const;

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string>>; readonly volumes?: readonly string[] }>
  >;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const compose = parse(readFileSync(join(EXAMPLE, 'compose.yaml'), 'utf8'), { merge: true }) as Compose;
interface Named {
  readonly name: string;
}
/** What the test reads of an object of Kubernetes. */
interface KubernetesObject {
  readonly kind: string;
  readonly metadata: Named;
  readonly spec: {
    readonly selector: Readonly<Record<string, unknown>>;
    readonly serviceName?: string;
    readonly template?: { readonly spec: PodSpec };
    readonly volumeClaimTemplates?: readonly { readonly metadata: Named }[];
  };
}
interface PodSpec {
  readonly containers: readonly { readonly env: readonly Named[]; readonly volumeMounts: readonly Named[] }[];
  readonly volumes: readonly Named[];
}
const kubernetes = parseAllDocuments(readFileSync(join(EXAMPLE, 'kubernetes.yaml'), 'utf8')).map(
  (document) => document.toJS() as KubernetesObject,
);
const optionNames = new Set(
  readFileSync(join(ROOT, 'docs/reference/configuration.md'), 'utf8').match(/FOSSICK_[A-Z0-9_]+/g) ?? [],
);

describe('the files of examples/cluster', () => {
  it('name options that there are, and volumes that they declare', () => {
    for (const name of NODES) {
      const { environment = {}, volumes = [] } = compose.services[name]!;
      for (const option of Object.keys(environment)) expect(optionNames).toContain(option);
      for (const volume of volumes.map((one) => one.split(':')[0]!).filter((one) => !one.startsWith('.')))
        expect(Object.keys(compose.volumes)).toContain(volume);
    }
    const services = kubernetes.filter(({ kind }) => kind === 'Service');
    const set = kubernetes.find(({ kind }) => kind === 'StatefulSet')!.spec;
    const { containers, volumes } = set.template!.spec;
    const [container] = containers;
    for (const { name } of container!.env) if (name !== 'POD_NAME') expect(optionNames).toContain(name);
    const declared = [...volumes, ...(set.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)];
    const names = (all: readonly Named[]): string[] => all.map(({ name }) => name).sort();
    expect(names(declared)).toEqual(names(container!.volumeMounts));
    for (const { spec } of services) expect(spec.selector).toEqual(set.selector['matchLabels']);
    expect(services.map(({ metadata }) => metadata.name)).toContain(set.serviceName);
  });

  describe.skipIf(!isBuilt)('as processes', () => {
    describeWithPostgres('over PostgreSQL', (postgres) => {
      const folder = mkdtempSync(join(tmpdir(), 'fossick-cluster-files-'));
      const servers: ServerProcess[] = [];
      beforeAll(() => postgres.create());
      afterAll(async () => {
        for (const server of servers) await server.kill();
        await postgres.remove();
        rmSync(folder, { recursive: true, force: true });
      });

      it('are three nodes that talk by TLS, one of which leads', async () => {
        const certificates = join(folder, 'certificates');
        for (const name of NODES) {
          execFileSync('sh', [join(EXAMPLE, 'certificates.sh'), join(certificates, name), '127.0.0.1'], {
            stdio: 'pipe',
          });
          // one authority for all
          if (name === NODES[0])
            for (const other of NODES.slice(1)) {
              execFileSync('mkdir', ['-p', join(certificates, other)]);
              for (const file of ['ca.pem', 'ca.key'])
                execFileSync('cp', [join(certificates, name, file), join(certificates, other, file)]);
            }
        }
        for (const name of NODES) {
          const port = await freePort();
          const here = (text: string): string =>
            text
              .replace(/^postgres:.*/, postgres.url)
              .replace(/^\$\{FOSSICK_CLUSTER_OBJECTS:-(file:\/\/)(\/objects)\}$/, `$1${folder}$2`)
              .replace(/^\$\{FOSSICK_MASTER_KEY:.*/, 'a key of sixteen bytes and more')
              .replace('/certificates/ca.pem', join(certificates, name, 'ca.pem'))
              .replace(`/certificates/${name}.`, `${join(certificates, name, '127.0.0.1')}.`)
              .replace(`${name}:7710`, `127.0.0.1:${port}`)
              .replace('0.0.0.0:7710', `127.0.0.1:${port}`);
          const environment = Object.entries(compose.services[name]!.environment ?? {});
          const env = Object.fromEntries(environment.map(([option, text]) => [option, here(text)]));
          servers.push(await startServerProcess(join(folder, name), [], env));
        }
        const headers = { authorization: 'Bearer a key of sixteen bytes and more' };
        const inContact = async (): Promise<number> => {
          const answers = await Promise.all(
            servers.map((server) =>
              server.call<{ nodes: { isInContact: boolean }[] }>('GET', '/_fossick/cluster', undefined, headers),
            ),
          );
          return answers.flatMap(({ body }) => body.nodes).filter(({ isInContact }) => isInContact).length;
        };
        while ((await inContact()) < 2) await pause(100);
        for (const server of servers) expect(server.output()).not.toContain('was refused');
        const added = await servers[1]!.call('POST', '/indexes/films/documents', [{ id: 1 }], headers);
        expect(added.status).toBe(202);
      });
    });
  });
});
