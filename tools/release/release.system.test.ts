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
import { notesOf, withRelease } from './changelog.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { checkVersion, withVersion } from './versions.mjs';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = '# Changelog\n\nText.\n\n## Unreleased\n\n### Added\n\n- A.\n\n## 0.1.0 - 2026-01-01\n\n- First.\n';
const release = (text: string, commits: readonly string[] = []): string =>
  withRelease(text, { version: '0.2.0', date: '2026-02-03', commits });

describe('the changelog of a release', () => {
  it('has what was unreleased, and nothing is unreleased afterwards', () => {
    const text = release(TEXT, ['A commit']);
    expect(text).toBe(
      '# Changelog\n\nText.\n\n## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Added\n\n- A.\n\n## 0.1.0 - 2026-01-01\n\n- First.\n',
    );
    expect(notesOf(text, '0.2.0')).toBe('### Added\n\n- A.');
    expect(notesOf(text, '0.1.0')).toBe('- First.');
  });

  it('lists commits where nothing was written', () => {
    const text = release(TEXT.replace('### Added\n\n- A.\n\n', ''), ['One', 'Two']);
    expect(notesOf(text, '0.2.0')).toBe('### Commits\n\n- One\n- Two');
  });

  it('is refused without entries, without the heading, and for a version that there is', () => {
    expect(() => release('# Changelog\n\n## Unreleased\n')).toThrow(/nothing is written/);
    expect(() => release('# Changelog\n')).toThrow(/no heading/);
    expect(() => withRelease(TEXT, { version: '0.1.0', date: '', commits: [] })).toThrow(/already/);
    expect(() => notesOf(TEXT, '9.9.9')).toThrow(/no version/);
  });

  it('of this repository can be made', () => {
    const text = release(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
    expect(notesOf(text, '0.2.0')).toContain('### Added');
    expect(text).toMatch(/## Unreleased\n\n## 0\.2\.0 - 2026-02-03\n/);
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
