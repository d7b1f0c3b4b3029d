import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { faultPoint } from '@fossick/base';

/** Makes the names in a folder survive a power cut. */
export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Renames a file or folder in one step, over a file of that name too; the new name survives a power cut. */
export function renameDurably(from: string, to: string): void {
  faultPoint('rename');
  renameSync(from, to);
  faultPoint('renamed');
  flushFolder(dirname(to));
  if (dirname(from) !== dirname(to)) flushFolder(dirname(from));
}

/** Writes a file as a whole: whoever reads it sees the text before or this one, after a power cut too. */
export function replaceFile(file: string, text: string): void {
  const beside = `${file}.new`;
  const descriptor = openSync(beside, 'w');
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameDurably(beside, file);
}
