import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readCheckout } from './source-file.js';

const rootFolder = fileURLToPath(new URL('../..', import.meta.url));

// unit tests share a worker: whether a module is replaced depends on which files it ran before
it('tests that replace modules have a worker of their own', () => {
  const config = readFileSync(join(rootFolder, 'vitest.config.ts'), 'utf8');
  const replacing = readCheckout(rootFolder).filter(
    ({ path, text }) => /(?<!\.(system|long))\.test\.ts$/.test(path) && /^vi\.mock\(/m.test(text),
  );
  expect(replacing.length).toBeGreaterThan(3);
  const names = replacing.map(({ path }) => path.replace(/^packages\/|\.test\.ts$/g, ''));
  expect(names.filter((name) => !config.includes(`'${name}'`))).toEqual([]);
});
