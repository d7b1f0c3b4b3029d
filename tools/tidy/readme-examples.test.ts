import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';

const rootFolder = fileURLToPath(new URL('../..', import.meta.url));
/** Inside node_modules, so that examples resolve `@fossick/...` as a user's program does: to what was built. */
const exampleFolder = join(rootFolder, 'node_modules', '.cache', 'readme-examples');
/** A bare vitest run in a fresh checkout has nothing built to run the examples on; `npm test` builds first. */
const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';

describe.skipIf(!isBuilt)('the examples of the package READMEs run', () => {
  for (const room of readdirSync(join(rootFolder, 'packages'))) {
    const readme = join(rootFolder, 'packages', room, 'README.md');
    if (!existsSync(readme)) continue;
    const blocks = [...readFileSync(readme, 'utf8').matchAll(/```js\n([\s\S]*?)```/g)];
    blocks.forEach(([, code = ''], at) => {
      it(`${room} ${at + 1}`, async () => {
        mkdirSync(exampleFolder, { recursive: true });
        const file = join(exampleFolder, `${room}-${at + 1}.mjs`);
        writeFileSync(file, code);
        await promisify(execFile)(process.execPath, [file], { cwd: exampleFolder, timeout: 30_000 });
      });
    });
  }
});
