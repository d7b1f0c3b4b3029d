import { ApiError, type ErrorCode, MAX_ANSWER_BYTES } from '@fossick/base';

/** The pieces in one row, in a buffer of their own: it may go to another thread without a copy. O(bytes) */
export function joinedBytes(pieces: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The error of a request that asks for more than one answer may hold. `code` is that of the limit it names. */
export function tooLargeAnswer(code: ErrorCode): ApiError {
  return new ApiError(
    code,
    `The answer would be larger than ${MAX_ANSWER_BYTES / 2 ** 20} MiB. Ask for fewer documents at a time, or for fewer of their fields.`,
  );
}
