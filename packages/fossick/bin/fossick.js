#!/usr/bin/env node
// the published package is a bundle that has the command; a checkout has it in apps/server
import { existsSync } from 'node:fs';

const bundled = new URL('../dist/main.js', import.meta.url);
const { href } = existsSync(bundled) ? bundled : new URL('../../../apps/server/dist/main.js', import.meta.url);
await import(href);
