/** Flags of Node that say how the text of a program on the command line is to be read: a thread that has a file refuses them, and never starts. */
const PROGRAM_FLAG = /^--input-type(=|$)/;

/**
 * What a thread of ours is started with besides its data. Threads take over the flags of their process, which may be any program that the
 * engine runs within, `node --input-type=module -e ...` among them.
 */
export function threadOptions(flags: readonly string[] = process.execArgv): { readonly execArgv?: string[] } {
  return flags.some((flag) => PROGRAM_FLAG.test(flag)) ? { execArgv: [] } : {};
}
