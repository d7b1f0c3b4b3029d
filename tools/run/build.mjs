#!/usr/bin/env node
/** `npm run build`: installs when needed and builds every package. */
import { ensureBuilt, ensureInstalled } from './workspace.mjs';

await ensureInstalled();
await ensureBuilt();
