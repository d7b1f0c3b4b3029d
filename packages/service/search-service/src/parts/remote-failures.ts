const NEWLINE = 0x0a;

/** An answer prefixed with a line of names of remotes that were found to have failed, for the thread that sends it. */
export function withFailures(names: readonly string[], answer: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(names)}\n`), answer]);
}

/** The answer without the prefix, and those names. */
export function splitFailures(bytes: Buffer): { readonly failed: readonly string[]; readonly answer: Buffer } {
  const end = bytes.indexOf(NEWLINE);
  return { failed: JSON.parse(bytes.toString('utf8', 0, end)) as string[], answer: bytes.subarray(end + 1) };
}
