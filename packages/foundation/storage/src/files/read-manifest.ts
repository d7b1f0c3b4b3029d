import { base64Bytes, utf8Text } from '@fossick/base';
import { DamagedFile, FILE_LIMITS, FILES_FORMAT, type FileEntry, type FilesManifest, ID_BYTES } from './file-format.js';

/** Names of files: they are next to the manifest, wherever that says they are. */
const NAME = /^[0-9a-z]{16,64}\.(pack|directory)$/;

/** Reads manifest.json. @throws DamagedFile naming `file` when it is no manifest of this format, or goes beyond a limit */
export function readManifest(bytes: Uint8Array, file: string): FilesManifest {
  const damaged = (reason: string): DamagedFile => new DamagedFile(file, reason);
  const manifest = parsed(bytes, damaged);
  const { format, id, directory, packs, about } = manifest;
  if (format !== FILES_FORMAT) throw damaged(`it has format ${JSON.stringify(format)} instead of ${FILES_FORMAT}`);
  if (typeof id !== 'string' || !/^[A-Za-z0-9+/]{11}=$/.test(id) || base64Bytes(id).length !== ID_BYTES)
    throw damaged('it has no id');
  if (!isEntry(directory, FILE_LIMITS.directoryBytes)) throw damaged('it names no directory that may be read');
  if (!Array.isArray(packs) || packs.length > FILE_LIMITS.packCount)
    throw damaged('its packs are no list that may be read');
  for (const pack of packs as unknown[])
    if (!isEntry(pack, FILE_LIMITS.packBytes)) throw damaged('it names a pack that may not be read');
  if (typeof about !== 'object' || about === null) throw damaged('it does not say which index it is of');
  return { format, id, directory, packs: packs as readonly FileEntry[], about: about as FilesManifest['about'] };
}

function parsed(bytes: Uint8Array, damaged: (reason: string) => DamagedFile): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(utf8Text(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // the same error below
  }
  throw damaged('it is no JSON object');
}

function isEntry(entry: unknown, maxBytes: number): entry is FileEntry {
  if (typeof entry !== 'object' || entry === null) return false;
  const { name, bytes } = entry as Record<string, unknown>;
  if (typeof name !== 'string' || !NAME.test(name)) return false;
  return Number.isSafeInteger(bytes) && (bytes as number) >= 0 && (bytes as number) <= maxBytes;
}
