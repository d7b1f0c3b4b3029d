const NEWLINE = 0x0a;

/** An answer behind a line with the names of remotes that it was found out of that they failed: whoever sends it on hears of them so. */
export function withFailures(names: readonly string[], answer: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(names)}\n`), answer]);
}

/** The answer alone, and those names. */
export function splitFailures(bytes: Buffer): { readonly failed: readonly string[]; readonly answer: Buffer } {
  const end = bytes.indexOf(NEWLINE);
  return { failed: JSON.parse(bytes.toString('utf8', 0, end)) as string[], answer: bytes.subarray(end + 1) };
}
