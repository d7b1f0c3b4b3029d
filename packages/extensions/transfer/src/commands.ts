import type { ExtensionCommand, RestoreSource } from '@fossick/runtime/extension';

const MEMORY = ['max-search-memory'];
const S3 = [
  's3-bucket-url',
  's3-bucket-region',
  's3-access-key',
  's3-secret-key',
  'experimental-s3-role-arn',
  'experimental-s3-web-identity-token-file',
];
const S3_UPLOADS = [
  's3-bucket-name',
  's3-snapshot-prefix',
  'experimental-s3-max-in-flight-parts',
  'experimental-s3-multipart-part-size',
  'experimental-s3-compression-level',
];

/** Tells the file that a command created. */
function print(file: string): true {
  process.stdout.write(`${file}\n`);
  return true;
}

export const TRANSFER_COMMANDS: readonly ExtensionCommand[] = [
  {
    name: 'dump',
    help: 'write a dump of a database that no server has open',
    flags: ['db-path', 'dump-dir', ...S3, ...S3_UPLOADS, ...MEMORY],
    run: async (command) => print(await (await import('./copy-commands.js')).dumpDatabase(command)),
  },
  {
    name: 'snapshot',
    help: 'write a snapshot of a database that no server has open',
    flags: ['db-path', 'snapshot-dir', ...S3, ...S3_UPLOADS, ...MEMORY],
    run: async (command) => print(await (await import('./copy-commands.js')).snapshotDatabase(command)),
  },
  {
    name: 'import',
    help: 'make a database out of a dump or a snapshot',
    flags: ['db-path', 'max-indexing-memory', ...MEMORY],
    file: 'the dump, or the snapshot (a file that ends in .snapshot)',
    run: async (command) => print(await (await import('./copy-commands.js')).importDatabase(command, command.file!)),
  },
  {
    name: 'move',
    help: 'copy a running Meilisearch or Fossick to a running server, or into the folder of a database',
    flags: ['db-path', 'master-key', 'max-indexing-memory', ...MEMORY],
    own: [
      { term: '--from <url>', help: 'address of the instance to copy' },
      { term: '--from-key <key>', help: 'its master key', variable: 'FOSSICK_FROM_KEY' },
      { term: '--to <url>', help: 'address of the server to copy to (default: the folder of --db-path)' },
      { term: '--to-key <key>', help: 'its master key', variable: 'FOSSICK_TO_KEY' },
      {
        term: '--indexes <uids>',
        help: 'only these, by commas; books* for all that begin so (default: all, and all else)',
      },
      { term: '--replace', help: 'remove the documents of indexes that the target has, before copying' },
      { term: '--dry-run', help: 'only tell what would be copied' },
    ],
    run: async (command) => (await import('./moving/move-command.js')).moveOver(command),
  },
];

/** `fossick restore` without the options of others. */
export const COPY_RESTORE: RestoreSource = {
  help: 'a snapshot or a dump in an object store',
  from: 's3://bucket/key?region=…&endpoint=…, or what its key begins with',
  flags: S3,
  options: [],
  read: (from, command) => async (dbPath) => {
    await (await import('./copy-commands.js')).importInto(dbPath, command, from);
    return null;
  },
};
