/** A small disk that tests fill. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const DISK = '24m';

/** Makes a folder a disk of its own, until the result is called; undefined where mounting is not allowed. */
export function mountSmallDisk(folder: string): (() => void) | undefined {
  if (process.platform !== 'linux') return undefined;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder]).status !== 0) return undefined;
  return () => void spawnSync('umount', ['-l', folder]);
}

/** Fills the disk but for this many KiB. */
export function fill(folder: string, leftKiB: number): void {
  const [filler, room] = [join(folder, 'filler'), join(folder, 'room')];
  const write = (file: string, piece: number, most: number): void => {
    const descriptor = openSync(file, 'a');
    try {
      for (let at = 0; at < most; at += piece) if (writeSync(descriptor, Buffer.alloc(piece, 1)) < piece) break;
    } catch {
      // it is full
    } finally {
      closeSync(descriptor);
    }
  };
  if (leftKiB > 0) write(room, 4096, leftKiB * 1024);
  write(filler, 65_536, Number.POSITIVE_INFINITY);
  write(filler, 4096, Number.POSITIVE_INFINITY);
  rmSync(room, { force: true });
}
