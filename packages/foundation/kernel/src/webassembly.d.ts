/** The part of WebAssembly's interface that the host uses; the configured libraries do not declare it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
    private readonly compiled: never;
  }
  /** Made by AssemblyScript's loader. */
  class Instance {
    private constructor();
    readonly exports: object;
  }
  /** A memory that threads share. */
  class Memory {
    constructor(given: { readonly initial: number; readonly maximum: number; readonly shared: true });
    readonly buffer: SharedArrayBuffer;
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<Module>;
}
