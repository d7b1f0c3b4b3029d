#!/usr/bin/env node
// the published package is a bundle that has the command; a checkout has it in apps/server
import { existsSync } from 'node:fs';

const bundled = new URL('../dist/', import.meta.url);
const isBundled = existsSync(new URL('main.js', bundled));
const folder = isBundled ? bundled : new URL('../../../apps/server/dist/', import.meta.url);
const { keepCompiledCode } = await import(new URL('compiled-code.js', folder).href);
keepCompiledCode();
await import(new URL('main.js', folder).href);
