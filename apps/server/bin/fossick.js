#!/usr/bin/env node
import { keepCompiledCode } from '../dist/compiled-code.js';

// modules that are imported with this file would be compiled before it runs
keepCompiledCode();
await import('../dist/main.js');
