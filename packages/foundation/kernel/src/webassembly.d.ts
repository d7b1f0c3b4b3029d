/** The part of WebAssembly's interface that the host uses; the configured libraries do not declare it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
    private readonly compiled: never;
  }
  class Instance {
    constructor(
      module: Module,
      imports: Readonly<Record<string, Readonly<Record<string, (...args: number[]) => void>>>>,
    );
    readonly exports: object;
  }
  class RuntimeError extends Error {}
}
