import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the type of the exports is what the compiler says of them', async () => {
  const { BINDINGS, bindingsText }: Bindings = await import(new URL('../bindings.mjs', import.meta.url).href);
  expect(readFileSync(BINDINGS, 'utf8'), 'run `npm run bindings` in packages/foundation/kernel').toBe(bindingsText());
});

interface Bindings {
  readonly BINDINGS: URL;
  bindingsText(): string;
}
