import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const BUILT_FILE = new URL('../../dist/process/optimise-early.js', import.meta.url);

it('this version of Node.js knows every option, and prints no error', () => {
  const looks = 'const stop = keepCodeWhileIdle(); setTimeout(stop, 3_500);';
  const calls = `optimiseForLargeIndexes(); optimiseSooner(4); optimiseSooner(1); ${looks}`;
  const names = 'keepCodeWhileIdle, optimiseForLargeIndexes, optimiseSooner';
  const program = `import { ${names} } from ${JSON.stringify(BUILT_FILE.href)}; ${calls}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});

it('functions are optimised after fewer calls, and after as many as usual again', () => {
  const program = `
    import { optimiseSooner } from ${JSON.stringify(BUILT_FILE.href)};
    const status = new Function('f', 'return %GetOptimizationStatus(f)');
    // each function has a text of its own: V8 keeps the code of equal ones
    const callsOf = (name) => {
      const f = new Function('x', 'let sum = ' + name + '; for (let i = 0; i < 20; i++) sum += x ^ i; return sum;');
      f(0);
      // the bits of versions differ, but code without optimisation keeps its own
      const begun = status(f);
      for (let calls = 1; ; calls++) {
        f(calls);
        if (status(f) !== begun) return calls;
      }
    };
    const counts = [];
    for (const [name, times] of [1, 8, 1].entries()) {
      optimiseSooner(times);
      counts.push(callsOf(name));
    }
    console.log(JSON.stringify(counts));`;
  const flags = [
    '--allow-natives-syntax',
    '--no-use-osr',
    '--no-concurrent-recompilation',
    '--input-type=module',
    '-e',
  ];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const [before, sooner, after] = JSON.parse(stdout) as [number, number, number];
  expect(sooner).toBeLessThan(before / 2);
  expect(after).toBeGreaterThan(sooner * 2);
});
