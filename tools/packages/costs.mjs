#!/usr/bin/env node
/**
 * Cost of installing and importing each package: `node tools/packages/costs.mjs [--write]`. The packages must be built.
 * They are packed and installed into an empty project; each is imported by processes of its own (median of five). With
 * `--write` the section "Cost" of each README is updated.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootFolder } from '../run/workspace.mjs';
import { sizesOf, sizesWithDependencies } from './installed-size.mjs';
import { newProject, packAll } from './pack.mjs';
import { manifestOf, publishedFolders } from './published.mjs';

const RUNS = 5;
const WITHOUT_CODE = ['@fossick/dashboard'];
/** Bytes and milliseconds of an import; `-` imports nothing. */
const PROBE = `
  const before = performance.now();
  if (process.argv[1] !== '-') await import(process.argv[1]);
  const ms = performance.now() - before;
  console.log(JSON.stringify({ ms, bytes: process.memoryUsage.rss() }));`;

const folder = mkdtempSync(join(tmpdir(), 'fossick-costs-'));
try {
  const project = join(folder, 'project');
  await newProject(project, await packAll(join(folder, 'packed')));
  const modules = join(project, 'node_modules');
  const sizes = sizesOf(modules);
  const bare = probe(project, '-');
  for (const from of publishedFolders()) {
    const { name } = manifestOf(from);
    const installed = sizesWithDependencies(modules, name).reduce((sum, [, bytes]) => sum + bytes, 0);
    const { ms, bytes } = WITHOUT_CODE.includes(name) ? { ms: 0, bytes: bare.bytes } : probe(project, name);
    const cost = { name, own: sizes.get(name), installed, ms, memory: bytes - bare.bytes };
    console.log(JSON.stringify(cost));
    if (process.argv.includes('--write')) writeCost(join(rootFolder, from, 'README.md'), cost);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function probe(project, name) {
  const args = ['--input-type=module', '-e', PROBE, name];
  const found = Array.from({ length: RUNS }, () =>
    JSON.parse(execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' })),
  );
  const median = (key) => found.map((one) => one[key]).sort((a, b) => a - b)[RUNS >> 1];
  return { ms: median('ms'), bytes: median('bytes') };
}

function writeCost(readme, { name, own, installed, ms, memory }) {
  const text = readFileSync(readme, 'utf8');
  const megabytes = (bytes) => (bytes >= 9.95e6 ? (bytes / 1e6).toFixed(0) : (bytes / 1e6).toFixed(1));
  const where = `Node ${process.versions.node.split('.').slice(0, 2).join('.')}, two cores of an ${cpus()[0].model.split(' ').slice(0, 2).join(' ')}`;
  const size = `On disk ${megabytes(own)} MB, with all that it depends on ${megabytes(installed)} MB`;
  const load = WITHOUT_CODE.includes(name)
    ? ''
    : `; imported in ${Math.round(ms)} ms, with ${megabytes(Math.max(0, memory))} MB of memory`;
  const line = `${size}${load} (\`node tools/packages/costs.mjs\`, ${where}).`;
  const start = text.indexOf('\n## Cost\n');
  if (start < 0) {
    writeFileSync(readme, `${text.trimEnd()}\n\n## Cost\n\n${line}\n`);
    return;
  }
  // only the first paragraph of the section is replaced, the rest is written by hand
  const from = start + '\n## Cost\n\n'.length;
  const end = text.indexOf('\n', from);
  writeFileSync(readme, text.slice(0, from) + line + text.slice(end));
}
