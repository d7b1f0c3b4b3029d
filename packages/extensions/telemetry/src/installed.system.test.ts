import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServerProcess } from '@fossick/server/e2e/server-process.test-support';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sentTo, startCollector } from './collector.test-support.js';

const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const STAGE = fileURLToPath(new URL('../../../../tools/packages/stage-bundle.mjs', import.meta.url));
/** What is packed is what was built. */
const isBuilt = process.env['FOSSICK_TEST_BUILT'] === '1';

/** The published server outside of the repository, where only those libraries are that are linked. */
describe.skipIf(!isBuilt)('traces of an installed server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-traced-'));
  const program = join(folder, 'bin', 'fossick.js');
  const link = (name: string): void => {
    const target = join(folder, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(MODULES, name), target);
  };
  let databases = 0;
  const newDatabase = (): string => join(folder, `database-${databases++}`);
  const start = (options: readonly string[], env: Readonly<Record<string, string>>) =>
    startServerProcess(newDatabase(), options, env, [], program);
  const manifest = () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  beforeAll(() => {
    execFileSync(process.execPath, [STAGE, folder]);
    for (const name of Object.keys(manifest().dependencies)) link(name);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('the package asks for the SDK as an optional peer', () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifest();
    expect(Object.keys(dependencies).filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
    const peers = Object.keys(peerDependencies).filter((name) => name.startsWith('@opentelemetry/'));
    expect(peers).toHaveLength(6);
    for (const name of peers) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
  });

  test('without the packages --traces ends the start with one line that names them, and makes no database', () => {
    const database = newDatabase();
    const args = [program, '--traces', '--master-key', 'a key of sixteen bytes', '--db-path', database];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'fossick: --traces needs packages of OpenTelemetry next to this one: npm install @opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-proto\n',
    });
    expect(() => readFileSync(join(database, 'VERSION'))).toThrow('ENOENT');
  });

  test('without --traces the packages are not missed, whatever the variables say', async () => {
    const server = await start([], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    expect((await server.call('GET', '/health')).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  describe('with the packages', () => {
    beforeAll(() => link('@opentelemetry'));

    test('SIGTERM sends the spans that wait', async () => {
      const collector = await startCollector();
      onTestFinished(() => collector.close());
      const server = await start(['--traces'], { ...sentTo(collector.url), OTEL_BSP_SCHEDULE_DELAY: '600000' });
      await server.call('GET', '/version');
      expect(await server.stop()).toBe(0);
      expect(collector.spans().map(({ name }) => name)).toContain('GET /version');
    });

    test('a collector that never answers does not hold the process up', async () => {
      const silent = await startCollector(() => undefined);
      onTestFinished(() => silent.close());
      const server = await start(['--traces'], { ...sentTo(silent.url), OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' });
      const arrived = silent.nextRequest();
      await server.call('GET', '/version');
      await arrived;
      // it would be waited for an hour
      expect(await server.stop()).toBe(0);
    });
  });
});
