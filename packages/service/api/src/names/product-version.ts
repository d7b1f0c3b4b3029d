import { readFileSync } from 'node:fs';

/** The version of the product: all packages are released together and have the same one. */
export const PRODUCT_VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
