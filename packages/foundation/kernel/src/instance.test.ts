import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isKernelFault } from './fault.js';
import { HostCalls, instantiateKernel } from './instance.js';

test('AssemblyScript’s loader makes the instances', () => {
  const text = readFileSync(new URL('./instance.ts', import.meta.url), 'utf8');
  expect(text).toContain("import { instantiateSync } from '@assemblyscript/loader'");
  expect(text).not.toContain('new WebAssembly.Instance');
});

test.each(['fast', 'checked'] as const)('the exports of the %s build are called without a wrapper', (build) => {
  const exports = instantiateKernel(build, new HostCalls());
  const functions = Object.values(exports).filter((one) => typeof one === 'function');
  expect(functions.length).toBeGreaterThan(100);
  // a function of WebAssembly is native and has its index as its name; a wrapper of the loader has `original`
  for (const one of functions) {
    expect(one.name).toMatch(/^\d+$/);
    expect(String(one)).toContain('[native code]');
    expect('original' in one).toBe(false);
  }
});

test('each instance has its own memory, which its host limits', () => {
  const calls = new HostCalls();
  const [first, second] = [instantiateKernel('fast', calls), instantiateKernel('fast', new HostCalls())];
  expect(first.memory.buffer).not.toBe(second.memory.buffer);
  first.limitMemory(2 ** 20);
  let asked = 0;
  calls.onShortage = (byteCount) => {
    asked = byteCount;
    return false;
  };
  expect(() => first.heapAlloc(2 ** 24)).toThrow(/no room for/);
  expect(asked).toBeGreaterThan(0);
  expect(second.heapAlloc(2 ** 24)).toBeGreaterThan(0);
});

test('a trap is a kernel fault', () => {
  const exports = instantiateKernel('fast', new HostCalls());
  let fault: unknown;
  try {
    exports.bitmapCount(0xffff_fff0);
  } catch (error) {
    fault = error;
  }
  expect(isKernelFault(fault)).toBe(true);
});
