/** Flags of Node for reading a program from the command line: a thread with a file refuses them, and never starts. */
const PROGRAM_FLAG = /^--input-type(=|$)/;

/**
 * Options for starting a thread, in addition to its data. Threads inherit the flags of their process, which may be any program
 * with an embedded engine, for example `node --input-type=module -e ...`.
 */
export function threadOptions(flags: readonly string[] = process.execArgv): { readonly execArgv?: string[] } {
  return flags.some((flag) => PROGRAM_FLAG.test(flag)) ? { execArgv: [] } : {};
}
