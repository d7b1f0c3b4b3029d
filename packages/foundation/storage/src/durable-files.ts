import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { faultPoint } from '@fossick/base';
import { flushFolder } from '@fossick/base/durable-names';

/** Renames a file or folder in one step, replacing a file of that name; the new name survives a power cut. */
export function renameDurably(from: string, to: string): void {
  faultPoint('rename');
  renameSync(from, to);
  faultPoint('renamed');
  flushFolder(dirname(to));
  if (dirname(from) !== dirname(to)) flushFolder(dirname(from));
}

/** Replaces a file as a whole: a reader sees the old or the new text, also after a power cut. */
export function replaceFile(file: string, text: string): void {
  const temporary = `${file}.new`;
  const descriptor = openSync(temporary, 'w');
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameDurably(temporary, file);
}
