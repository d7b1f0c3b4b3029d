import { expect, test } from 'vitest';
import { collectGarbage } from './idle-memory.js';

test('unreferenced objects are collected', () => {
  const held = { bytes: new Uint8Array(8) };
  const weak = (() => [new WeakRef({ bytes: new Uint8Array(8) }), new WeakRef(held)])();
  return new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
    collectGarbage();
    expect(weak[0]?.deref()).toBeUndefined();
    expect(weak[1]?.deref()).toBe(held);
  });
});
