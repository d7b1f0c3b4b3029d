import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textOption, vitalOption } from '@fossick/instance';
import type { Extension } from '@fossick/runtime/extension';
import { describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startServerWith, startTestServer } from '../e2e/test-server.test-support.js';
import { EXTENSIONS } from './extension-list.js';
import { extensionParts } from './extension-parts.test-support.js';
import { readProductInvocation } from './product-options.js';
import { servedExtensions, taskKindsOf } from './served-extensions.js';

/** Starts over a new folder, and stops. */
async function within<T>(
  start: (folder: string) => Promise<TestServer>,
  use: (server: TestServer, folder: string) => T,
) {
  const folder = newDatabaseFolder();
  const server = await start(folder);
  try {
    return await use(server, folder);
  } finally {
    await server.stop();
    removeFolder(folder);
  }
}
interface Document {
  readonly paths: Readonly<Record<string, object>>;
}
const described = async (server: TestServer): Promise<string[]> =>
  Object.keys((await server.call<Document>('GET', '/openapi.json')).body.paths);
const pathsOf = (index: number): string[] => extensionParts[index]!.operations.map(({ path }) => path);

it('every extension has a name of its own, which may be a folder of a database', async () => {
  const names = EXTENSIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+$/);
  await within(
    (folder) => startTestServer(folder, ['--extensions=']),
    async (_, folder) => expect(names.filter((name) => existsSync(join(folder, name)))).toEqual([]),
  );
});

it('no two extensions have kinds of tasks of the same name', () => {
  const types = taskKindsOf(EXTENSIONS).map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
});

describe.each(EXTENSIONS.map(({ name }, index) => [name, index] as const))('with and without %s', (name, index) => {
  const others = EXTENSIONS.map((each) => each.name).filter((other) => other !== name);

  it('has its routes, or knows none of them', async () => {
    await within(
      (folder) => startTestServer(folder, ['--extensions', name]),
      async (server) => expect(await described(server)).toEqual(expect.arrayContaining(pathsOf(index))),
    );
    await within(
      (folder) => startTestServer(folder, ['--extensions', others.join()]),
      async (server) => {
        expect((await described(server)).filter((path) => pathsOf(index).includes(path))).toEqual([]);
        for (const { method, path } of extensionParts[index]!.operations) {
          const asked = path.replace(/\{\w+\}/g, 'x');
          expect([asked, (await server.call(method.toUpperCase(), asked)).status]).toEqual([asked, 404]);
        }
        expect((await server.call('GET', '/health')).status).toBe(200);
      },
    );
  });
});

describe('the list of extensions', () => {
  const opened: string[] = [];
  const extension = (name: string): Extension => ({
    name,
    options: {
      title: name,
      options: [
        ...['size', 'weight'].map((of) => ({ kind: 'integer', flag: `${name}-${of}`, help: `a ${of}` }) as const),
        vitalOption(textOption(`${name}-import`, 'what to begin with')),
        vitalOption(textOption(`${name}-shared`, 'whom to follow')),
      ],
    },
    configure: (values) => {
      const size = values.integer(`${name}-size`);
      return {
        open: async () => {
          opened.push(`${name} ${size}`);
          return {};
        },
      };
    },
  });
  const all = ['lanterns', 'kites'].map(extension);
  const read = (argv: string[], env: Record<string, string> = {}) => readProductInvocation(argv, env, all).options;
  const namesOf = (argv: string[], env: Record<string, string> = {}): string[] =>
    servedExtensions(all, read(argv, env)).map(({ name }) => name);

  it('comes from each source of options, and is whole without one', () => {
    expect(namesOf([])).toEqual(['lanterns', 'kites']);
    expect(namesOf(['--extensions', 'kites'])).toEqual(['kites']);
    expect(namesOf(['--extensions', ' kites , lanterns,'])).toEqual(['lanterns', 'kites']);
    expect(namesOf([], { FOSSICK_EXTENSIONS: '' })).toEqual([]);
    expect(namesOf([], { FOSSICK_EXTENSIONS: 'lanterns' })).toEqual(['lanterns']);
    expect(namesOf(['--extensions', ''], { FOSSICK_EXTENSIONS: 'lanterns' })).toEqual([]);
  });

  it('names only extensions that there are', () => {
    const wrong = (name: string, message: string) =>
      expect(() => servedExtensions(all, read(['--extensions', name]))).toThrow(message);
    wrong('kite', '--extensions: there is no extension `kite`; did you mean kites?');
    wrong('submarines', 'there are lanterns, kites');
    wrong('kites;lanterns', 'there is no extension `kites;lanterns`');
  });

  it('has one shared log at most', () => {
    const openLog = () => Promise.reject(new Error('it is not opened'));
    const withLog = (name: string): Extension => ({ name, configure: () => ({ openLog, open: async () => ({}) }) });
    const logs = [withLog('tides'), extension('kites'), withLog('rivers')];
    const chosen = (...argv: string[]) => servedExtensions(logs, readProductInvocation(argv, {}, logs).options);
    expect(() => chosen()).toThrow('the extensions tides and rivers each have a log that servers share');
    expect(chosen('--extensions', 'kites,rivers')).toHaveLength(2);
  });

  it('opens none that is left out, and tells of options without effect', async () => {
    const { warnings } = read(['--extensions', 'kites', '--lanterns-size', '3', '--kites-size', '4']);
    expect(warnings).toContain('--lanterns-size has no effect: the extension lanterns is left out');
    expect(warnings.join()).not.toContain('kites-size');
    const both = read(['--extensions=', '--lanterns-size', '3'], { FOSSICK_LANTERNS_WEIGHT: 'x' });
    expect(both.warnings).toContain(
      '--lanterns-size, FOSSICK_LANTERNS_WEIGHT have no effect: the extension lanterns is left out',
    );
    await within(
      (folder) => startServerWith(all, folder, ['--extensions', 'kites', '--lanterns-size', 'x', '--kites-size', '4']),
      () => expect(opened).toEqual(['kites 4']),
    );
  });

  it('refuses a start with vital options of one that is left out, before the folder is touched', async () => {
    const wrong = (argv: string[], env: Record<string, string>, message: string) =>
      expect(() => servedExtensions(all, read(argv, env))).toThrow(message);
    const left = { FOSSICK_EXTENSIONS: 'kites' };
    const advice = 'name lanterns among the extensions, or start without';
    wrong(
      ['--lanterns-import', 'x'],
      left,
      `--lanterns-import needs the extension lanterns, which FOSSICK_EXTENSIONS leaves out: ${advice} it`,
    );
    wrong(
      ['--extensions=', '--lanterns-import', 'x', '--lanterns-size', '3'],
      { FOSSICK_LANTERNS_SHARED: 'y' },
      `--lanterns-import, FOSSICK_LANTERNS_SHARED need the extension lanterns, which --extensions leaves out: ${advice} them`,
    );
    expect(read(['--lanterns-import', 'x'], left).warnings.join()).not.toContain('lanterns');
    expect(namesOf(['--kites-import', 'x'], left)).toEqual(['kites']);
    expect(namesOf(['--lanterns-import', 'x'])).toEqual(['lanterns', 'kites']);
    const folder = join(newDatabaseFolder(), 'never');
    await expect(startServerWith(all, folder, ['--extensions=', '--lanterns-import', 'x'])).rejects.toThrow(advice);
    expect(existsSync(folder)).toBe(false);
    removeFolder(join(folder, '..'));
  });

  it('knows which options of the product are vital', () => {
    const vitalOf = (flag: string): boolean => /^import-/.test(flag);
    for (const { name, options } of EXTENSIONS) {
      const others = EXTENSIONS.map((each) => each.name).filter((other) => other !== name);
      for (const { flag, kind } of options?.options ?? []) {
        const value = kind === 'flag' ? [] : [kind === 'text' ? 'x' : '1'];
        const given = readProductInvocation([`--extensions=${others}`, `--${flag}`, ...value], {}).options;
        const start = () => servedExtensions(EXTENSIONS, given);
        if (vitalOf(flag))
          expect(start).toThrow(`--${flag} needs the extension ${name}, which --extensions leaves out`);
        else expect(start().map((each) => each.name)).toEqual(others);
      }
    }
  });

  it('may have a fault to tell before the server has a log', async () => {
    const anxious: Extension = {
      name: 'anxious',
      configure: () => ({
        open: async ({ onFault }) => {
          onFault(new Error('there is no wind'));
          return {};
        },
      }),
    };
    await within(
      (folder) => startServerWith([anxious], folder),
      async (server) => expect((await server.call('GET', '/health')).status).toBe(200),
    );
  });

  it('refuses wrong options of those that are served before the folder is touched', async () => {
    const folder = newDatabaseFolder();
    await expect(startServerWith(all, folder, ['--kites-size', 'x'])).rejects.toThrow('--kites-size');
    expect(existsSync(join(folder, 'VERSION'))).toBe(false);
    removeFolder(folder);
  });
});

describe('an experimental feature of an extension', () => {
  const kites: Extension = {
    name: 'kites',
    features: ['nightKites'],
    configure: () => ({
      open: async ({ instance }) => ({
        routes: [
          {
            method: 'GET',
            path: '/kites',
            action: 'stats.get',
            feature: 'nightKites',
            answer: () => ({ status: 200, json: { isOn: instance.features.isOn('nightKites') } }),
          },
        ],
      }),
    }),
  };
  const features = (server: TestServer) => server.call<Record<string, boolean>>('GET', '/experimental-features');

  it('is off until somebody turns it on, and stays as it is while the extension is left out', async () => {
    const folder = newDatabaseFolder();
    const first = await startServerWith([kites], folder);
    expect((await features(first)).body['nightKites']).toBe(false);
    expect((await first.call<{ code: string }>('GET', '/kites')).body.code).toBe('feature_not_enabled');
    const changed = await first.call<object>('PATCH', '/experimental-features', { nightKites: true });
    expect(changed).toMatchObject({ status: 200, body: { nightKites: true, metrics: false } });
    expect((await first.call('GET', '/kites')).body).toEqual({ isOn: true });
    const { body } = await first.call<{ components: { schemas: object } }>('GET', '/openapi.json');
    expect(JSON.stringify(body.components.schemas)).toContain('nightKites');
    await first.stop();
    const without = await startServerWith([kites], folder, ['--extensions=']);
    expect((await features(without)).body).not.toHaveProperty('nightKites');
    expect((await without.call('PATCH', '/experimental-features', { nightKites: false })).status).toBe(400);
    await without.call('PATCH', '/experimental-features', { metrics: true });
    await without.stop();
    const again = await startServerWith([kites], folder);
    expect((await features(again)).body).toMatchObject({ nightKites: true, metrics: true });
    await again.stop();
    removeFolder(folder);
  });
});
