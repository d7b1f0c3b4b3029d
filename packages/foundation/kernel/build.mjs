// Compiles the kernel twice: fast (optimised, no asserts) and checked (asserts on; the tests run on both), and describes what it exports.
// `node build.mjs fast` compiles one of them.
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const baseDir = fileURLToPath(new URL('.', import.meta.url));
mkdirSync(new URL('./build/', import.meta.url), { recursive: true });

const shared = ['assembly/index.ts', '--baseDir', baseDir, '--runtime', 'stub', '--enable', 'simd', '--use', 'abort='];
const builds = {
  fast: ['-O3', '--noAssert', '--bindings', 'raw'],
  checked: ['-O1'],
};

const wanted = process.argv.slice(2);
for (const [name, flags] of Object.entries(builds)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { error } = await asc.main([...shared, ...flags, '--outFile', `build/kernel.${name}.wasm`], {
    stdout: process.stdout,
    stderr: process.stderr,
  });
  if (error) {
    console.error(`kernel.${name}.wasm was not built: ${error.message}`);
    process.exit(1);
  }
}

// The description of exports stays (bindings.mjs). The generated JavaScript does not: @assemblyscript/loader makes the instance (src/instance.ts).
rmSync(`${baseDir}build/kernel.fast.js`, { force: true });
