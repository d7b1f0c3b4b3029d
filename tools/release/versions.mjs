/** Versions of the packages: one for all of them, published or not, because they name one another exactly. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders, rootFolder } from '../run/workspace.mjs';

const SEMVER = /^\d+\.\d+\.\d+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** Throws for what is no version of semver. */
export function checkVersion(version) {
  if (!SEMVER.test(version)) throw new Error(`\`${version}\` is no version such as 1.2.3 or 1.2.3-rc.1`);
}

/** A package.json with a version, also where it names others of `ownNames`. */
export function withVersion(manifest, version, ownNames) {
  const named = DEPENDENCIES.filter((kind) => manifest[kind] !== undefined).map((kind) => [
    kind,
    Object.fromEntries(
      Object.entries(manifest[kind]).map(([name, range]) => [name, ownNames.has(name) ? version : range]),
    ),
  ]);
  return { ...manifest, version, ...Object.fromEntries(named) };
}

/** What the registry of MCP servers is told, with a version. */
export function withServerVersion(server, version) {
  return { ...server, version, packages: server.packages.map((one) => ({ ...one, version })) };
}

/** Writes the version into every package.json and into server.json. The lock file follows by `npm install --package-lock-only`. */
export function writeVersions(version, folders = [...packageFolders(), 'bench']) {
  checkVersion(version);
  const files = folders.map((folder) => join(rootFolder, folder, 'package.json'));
  const manifests = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const ownNames = new Set(manifests.map(({ name }) => name));
  manifests.forEach((manifest, at) => {
    writeFileSync(files[at], `${JSON.stringify(withVersion(manifest, version, ownNames), null, 2)}\n`);
  });
  const server = join(rootFolder, 'server.json');
  const described = withServerVersion(JSON.parse(readFileSync(server, 'utf8')), version);
  writeFileSync(server, `${JSON.stringify(described, null, 2)}\n`);
}
