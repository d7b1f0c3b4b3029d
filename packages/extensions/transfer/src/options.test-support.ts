import { readInvocation } from '@fossick/instance/invocation';
import { checkS3Bucket, readTransfer, TRANSFER_OPTIONS, type TransferOptions } from './options.js';

/** The options of this package, as a start reads them. Throws OptionError. */
export function readTransferWords(words: readonly string[], env: Record<string, string> = {}): TransferOptions {
  const { values } = readInvocation(words, env, [TRANSFER_OPTIONS]).options;
  checkS3Bucket(values);
  return readTransfer(values);
}
