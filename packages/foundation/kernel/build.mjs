// Compiles the kernel: fast (optimised, no asserts), checked (asserts on; the tests run on both), and both for a memory that the host makes and several
// threads share: shared and sharedChecked. It also describes what the kernel exports.
// `node build.mjs fast` compiles one of them.
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const baseDir = fileURLToPath(new URL('.', import.meta.url));
mkdirSync(new URL('./build/', import.meta.url), { recursive: true });

const common = ['assembly/index.ts', '--baseDir', baseDir, '--runtime', 'stub', '--enable', 'simd', '--use', 'abort='];
/** The most pages are those of assembly/arena.ts, the base is SHARED_DATA of src/layout.ts. */
const memoryOfHost = [
  ...['--enable', 'threads', '--importMemory', '--sharedMemory'],
  ...['--initialMemory', '64', '--maximumMemory', '65535', '--memoryBase', '8192'],
];
const builds = {
  fast: ['-O3', '--noAssert', '--bindings', 'raw'],
  checked: ['-O1'],
  shared: ['-O3', '--noAssert', ...memoryOfHost],
  sharedChecked: ['-O1', ...memoryOfHost],
};

const wanted = process.argv.slice(2);
for (const [name, flags] of Object.entries(builds)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { error } = await asc.main([...common, ...flags, '--outFile', `build/kernel.${name}.wasm`], {
    stdout: process.stdout,
    stderr: process.stderr,
  });
  if (error) {
    console.error(`kernel.${name}.wasm was not built: ${error.message}`);
    process.exit(1);
  }
}

// The description of exports stays (src/kernel-exports.ts). The generated JavaScript does not: @assemblyscript/loader makes the instance (src/instance.ts).
rmSync(`${baseDir}build/kernel.fast.js`, { force: true });
