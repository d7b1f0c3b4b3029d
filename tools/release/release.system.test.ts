import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { manifestOf, publishedFolders } from '../packages/published.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { notesOf, problemsOf, withRelease } from './changelog.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { checkVersion, withVersion } from './versions.mjs';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = '- A is there ([page](docs/README.md)).';
const FIRST = '## 0.1.0 - 2026-01-01\n\n### Added\n\n- B is there ([page](docs/README.md)).\n';
const TEXT = `# Changelog\n\nText.\n\n## Unreleased\n\n### Added\n\n${ENTRY}\n\n${FIRST}`;
const release = (text: string): string => withRelease(text, { version: '0.2.0', date: '2026-02-03' });
const changelog = (): string => readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');

describe('the changelog of a release', () => {
  it('has what was unreleased, and nothing is unreleased afterwards', () => {
    const text = release(TEXT);
    expect(text).toBe(
      `# Changelog\n\nText.\n\n## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Added\n\n${ENTRY}\n\n${FIRST}`,
    );
    expect(notesOf(text, '0.2.0')).toBe(`### Added\n\n${ENTRY}`);
    expect(notesOf(text, '0.1.0')).toContain('- B is there');
    expect(problemsOf(text)).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['a heading alone', '### Fixed\n\n'],
    ['words that are no entry', 'Soon.\n\n'],
  ])('is refused with %s under Unreleased', (_, written) => {
    expect(() => release(TEXT.replace(`### Added\n\n${ENTRY}\n\n`, written))).toThrow(/nothing is written/);
    // nor is the next one made of the commits
    expect(() => withRelease(release(TEXT), { version: '0.3.0', date: '2026-02-04' })).toThrow(/nothing is written/);
  });

  it('is refused without the heading, for a version that there is, and with an entry that is none', () => {
    expect(() => release('# Changelog\n')).toThrow(/no heading/);
    expect(() => withRelease(TEXT, { version: '0.1.0', date: '' })).toThrow(/already/);
    expect(() => release(TEXT.replace(ENTRY, '- A.'))).toThrow(/line 9: an entry ends with a link/);
    expect(() => notesOf(TEXT, '9.9.9')).toThrow(/no version/);
    expect(() => notesOf(`${TEXT}\n## 0.0.1 - 2025-01-01\n`, '0.0.1')).toThrow(/says nothing/);
  });

  it('of this repository is right, and the next release can be made unless nothing is new', () => {
    const text = changelog();
    expect(problemsOf(text)).toEqual([]);
    const isNew = /## Unreleased\n[^#]*### /.test(text);
    const cut = (): string => withRelease(text, { version: '999.0.0', date: '2026-02-03' });
    if (isNew) expect(cut()).toMatch(/## Unreleased\n\n## 999\.0\.0 - 2026-02-03\n/);
    else expect(cut).toThrow(/nothing is written/);
  });
});

describe('an entry of the changelog', () => {
  const problems = (written: string): string[] =>
    problemsOf(TEXT.replace(`### Added\n\n${ENTRY}`, written), (file: string) => file === 'docs/README.md');

  it.each([
    `### Fixed\n\n${ENTRY}`,
    `Words before it.\n\n### Security\n\n- \`a. B\` of version 1.2, e.g. this ([page](https://example.com/a)).`,
    '### Added\n\n- A part of a page ([part](docs/README.md#part)).\n\n### Removed\n\n- B ([page](docs/README.md)).',
  ])('may be %j', (written) => {
    expect(problems(written)).toEqual([]);
  });

  it.each([
    [ENTRY, 'below one of Added'],
    [`### New\n\n${ENTRY}`, '`New` is none of'],
    [`### Added\n\n${ENTRY}\n\n### Added\n\n${ENTRY}`, 'Added is there twice'],
    [`### Added\n\n### Fixed\n\n${ENTRY}`, 'nothing is Added'],
    ['### Added\n\n- It goes on\n  ([page](docs/README.md)).', 'one line'],
    [`### Added\n\n- ${'long '.repeat(50)}([page](docs/README.md)).`, '240 at most'],
    ['### Added\n\n- One. Two ([page](docs/README.md)).', 'one sentence'],
    ['### Added\n\n- One ([page](docs/missing.md)).', 'there is no docs/missing.md'],
    ['### Added\n\n- One [page](docs/README.md)', 'ends with a link'],
    [`### Added\n\n${ENTRY}\n\n## Soon\n`, 'no version with its date'],
    [`### Added\n\n${ENTRY}\n\n## Unreleased\n`, 'there twice'],
  ])('may not be %j', (written, problem) => {
    expect(problems(written).join()).toContain(problem);
  });
});

describe('versions', () => {
  it('are of semver', () => {
    for (const version of ['1.2.3', '0.0.1', '1.0.0-rc.1']) expect(() => checkVersion(version)).not.toThrow();
    for (const version of ['', '1', 'v1.2.3', '1.2', '1.2.3 ', '1.2.3;x', '1.2.3-'])
      expect(() => checkVersion(version)).toThrow();
  });

  it('change in a package and in those that name it, and nowhere else', () => {
    const manifest = {
      name: 'a',
      version: '0.1.0',
      dependencies: { b: '0.1.0', c: '0.1.0' },
      peerDependencies: { b: '0.1.0' },
    };
    expect(withVersion(manifest, '0.2.0', new Set(['a', 'b']))).toEqual({
      name: 'a',
      version: '0.2.0',
      dependencies: { b: '0.2.0', c: '0.1.0' },
      peerDependencies: { b: '0.2.0' },
    });
  });

  it('of all published packages are the same, and npm is asked for provenance', () => {
    const manifests = publishedFolders().map(manifestOf) as { version: string; publishConfig: object }[];
    expect(new Set(manifests.map(({ version }) => version)).size).toBe(1);
    for (const { publishConfig } of manifests) expect(publishConfig).toEqual({ access: 'public', provenance: true });
  });
});

// what it tries is what was built; packed.system.test.ts tries the others
describe.skipIf(process.env.FOSSICK_TEST_BUILT !== '1')('npm run release', () => {
  it('tries a package with the command and a small one in empty projects, and records all of them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-release-test-'));
    try {
      const words = ['tools/release/release.mjs', '--folder', folder, '--only', 'fossick,@fossick/filter'];
      const { stdout } = await run(process.execPath, words, { cwd: ROOT, maxBuffer: 2 ** 26 });
      expect(stdout).toMatch(/^fossick +install, import, types, npx fossick --sample$/m);
      expect(stdout).toMatch(/^@fossick\/filter +install, import, types$/m);
      const record = JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8')) as {
        commit: string;
        packages: { name: string; integrity: string }[];
      };
      expect(record.commit).toMatch(/^[0-9a-f]{40}$/);
      expect(record.packages).toHaveLength(publishedFolders().length);
      for (const { integrity } of record.packages) expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
