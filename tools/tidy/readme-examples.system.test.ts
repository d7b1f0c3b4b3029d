import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ALLOWED_IMPORTS } from './packages.js';

const rootFolder = fileURLToPath(new URL('../..', import.meta.url));
/** Inside node_modules, so that examples resolve `@fossick/...` as a user's program does: to what was built. */
const exampleFolder = join(rootFolder, 'node_modules', '.cache', 'readme-examples');
/** A bare vitest run in a fresh checkout has nothing built to run the examples on; `npm test` builds first. */
const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';

/** `console.log(x); // this` prints this, spaces apart; so does a line of `// > this` for what is printed in a loop. */
const PRINTED = /(?:console\.log\(.*\/\/|^\s*\/\/ >) (.*)$/gm;
const unspaced = (text: string): string => text.replace(/\s+/g, '');

describe.skipIf(!isBuilt)('the examples of the package READMEs run, and print what they say', () => {
  for (const folder of Object.keys(ALLOWED_IMPORTS)) {
    const name = folder.replaceAll('/', '-');
    const readme = join(rootFolder, folder, 'README.md');
    if (!existsSync(readme)) continue;
    const blocks = [...readFileSync(readme, 'utf8').matchAll(/```js\n([\s\S]*?)```/g)];
    for (const [at, [, code = '']] of blocks.entries()) {
      it(`${name} ${at + 1}`, async () => {
        mkdirSync(exampleFolder, { recursive: true });
        const file = join(exampleFolder, `${name}-${at + 1}.mjs`);
        writeFileSync(file, code);
        const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: exampleFolder, timeout: 30_000 });
        const promised = [...code.matchAll(PRINTED)].map(([, text = '']) => unspaced(text));
        expect(promised.length, 'what the example prints is said').toBeGreaterThan(0);
        let rest = unspaced(stdout);
        for (const text of promised) {
          expect(rest).toContain(text);
          rest = rest.slice(rest.indexOf(text) + text.length);
        }
      });
    }
  }
});
