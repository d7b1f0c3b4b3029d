import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE_FILE = fileURLToPath(new URL('./disk-shim.fixture.c', import.meta.url));
/** Layout of `struct control` in that file: numbers of eight bytes, then the folder. */
const CONTROL_BYTES = 512;
const [KINDS_AT, ERROR_AT, SEEN_AT, STRUCK_AT, FOLDER_AT] = [0, 8, 40, 48, 56];

/** Kinds of calls that can be made to fail; they may be added. */
export const WRITES = 1;
export const SYNCS = 2;
export const CREATIONS = 4;
/** Writes of the pages by which LMDB finds its last commit. */
export const HEADS = 8;

/** How the disk fails. */
export interface DiskFault {
  /** A sum of WRITES, SYNCS, CREATIONS and HEADS. */
  readonly kinds: number;
  readonly error: 'ENOSPC' | 'EIO';
  /** Number of those calls that succeed first. */
  readonly skip: number;
  /** Whether all calls after the first failing one fail too. */
  readonly isLasting: boolean;
  /** Whether the first failing write writes half of its bytes and reports so. */
  readonly isCut: boolean;
}

/** Whether there is a compiler and a loader for it. */
export const canFail = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

/** The disk below a folder, which fails when a test wants it, for processes that are started with `env`. */
export class FaultyDisk {
  readonly env: Readonly<Record<string, string>>;
  private readonly descriptor: number;
  private readonly folder: string;

  /** Compiles into `workFolder`, which must be outside of `folder`. Throws when that fails. */
  constructor(workFolder: string, folder: string) {
    const [library, control] = [join(workFolder, 'disk-shim.so'), join(workFolder, 'disk-control')];
    const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE_FILE, '-ldl']);
    if (status !== 0) throw new Error(`cc: ${String(stderr)}`);
    this.folder = folder;
    const bytes = Buffer.alloc(CONTROL_BYTES);
    bytes.write(folder, FOLDER_AT);
    writeFileSync(control, bytes);
    this.descriptor = openSync(control, 'r+');
    this.env = { LD_PRELOAD: library, FOSSICK_TEST_DISK: control };
  }

  /** From now on, also below another folder than that of the constructor. */
  fail({ kinds, error, skip, isLasting, isCut }: DiskFault, folder = this.folder): void {
    this.write(KINDS_AT, [0]);
    writeSync(this.descriptor, Buffer.from(folder.padEnd(CONTROL_BYTES - FOLDER_AT, '\0')), 0, undefined, FOLDER_AT);
    this.write(ERROR_AT, [constants.errno[error], skip, Number(isLasting), Number(isCut), 0, 0]);
    this.write(KINDS_AT, [kinds]);
  }

  /** How many of those calls there were since `fail`, and how many of them failed. */
  get counts(): { readonly seen: number; readonly struck: number } {
    return { seen: this.read(SEEN_AT), struck: this.read(STRUCK_AT) };
  }

  heal(): void {
    this.write(KINDS_AT, [0]);
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private write(at: number, numbers: readonly number[]): void {
    writeSync(this.descriptor, BigInt64Array.from(numbers, BigInt), 0, numbers.length * 8, at);
  }

  private read(at: number): number {
    const number = new BigInt64Array(1);
    readSync(this.descriptor, number, 0, 8, at);
    return Number(number[0]);
  }
}
