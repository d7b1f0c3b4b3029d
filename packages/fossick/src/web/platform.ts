import { giveKernel, type KernelSource } from '@fossick/kernel';
import { fetched, unpacked } from '@fossick/storage/files';
import type { DictionaryName } from '@fossick/tokenizer';
import { fetchOrRead } from './parts/fetch-or-read.js';
import { LATER_PARTS } from './parts/later-parts.js';
import type { PartSources } from './parts/missing-parts.js';

/** Where the files of this package are, and how they are fetched. */
export interface PlatformOptions {
  /**
   * The compiled kernel, its bytes, or the address of `kernel.wasm`. When absent it is fetched from next to this module,
   * or read from there in Node.js, once for all engines of the thread.
   */
  readonly kernel?: KernelSource | URL | string | undefined;
  /** The folder of the word dictionaries, ending in a slash; `dictionaries/` next to this module when absent. */
  readonly dictionaries?: URL | string | undefined;
  /** Used instead of the global `fetch`, for files as well. */
  readonly fetch?: typeof fetch | undefined;
}

/** In a variable: bundlers take an address in `new URL` for a file, and a folder is none. */
const HERE = import.meta.url;

let kernel: Promise<void> | undefined;

/** Compiles and gives the kernel, the first time. @throws Error when it cannot be fetched or compiled */
export function loadKernel({ kernel: source, fetch: fetchWith = fetchOrRead }: PlatformOptions): Promise<void> {
  kernel ??= kernelOf(source, fetchWith)
    .then(giveKernel)
    .catch((error: unknown) => {
      kernel = undefined;
      throw error;
    });
  return kernel;
}

async function kernelOf(source: PlatformOptions['kernel'], fetchWith: typeof fetch): Promise<KernelSource> {
  if (source !== undefined && typeof source !== 'string' && !(source instanceof URL)) return source;
  const address = source ?? new URL('./kernel.wasm', import.meta.url);
  return (await fetched(fetchWith, address, KERNEL_BYTES_MAX)) as Uint8Array<ArrayBuffer>;
}

/** The kernel has 73 kB. */
const KERNEL_BYTES_MAX = 4 << 20;
/** The largest dictionary, Korean, has 31 MB. */
const DICTIONARY_BYTES_MAX = 128 << 20;

/** What searches may need besides rows. */
export function platformParts({ dictionaries, fetch: fetchWith = fetchOrRead }: PlatformOptions): PartSources {
  const pending = new Map<DictionaryName, Promise<Uint8Array>>();
  const read = async (name: DictionaryName): Promise<Uint8Array> => {
    // modules of some platforms have no address, which matters only where a dictionary is needed
    const folder = dictionaries ?? new URL('./dictionaries/', HERE);
    const address = typeof folder === 'string' ? `${folder}${name}.gz` : new URL(`${name}.gz`, folder);
    const bytes = await fetched(fetchWith, address, DICTIONARY_BYTES_MAX);
    return unpacked(bytes, DICTIONARY_BYTES_MAX, `${name}.gz`);
  };
  return {
    dictionary(name) {
      let reading = pending.get(name);
      if (reading === undefined) {
        reading = read(name).finally(() => pending.delete(name));
        pending.set(name, reading);
      }
      return reading;
    },
    libraries: {
      franc: () => import('franc'),
      liquidjs: () => import('liquidjs'),
      '@turf/boolean-intersects': () => import('@turf/boolean-intersects'),
      ...LATER_PARTS,
    },
  };
}
