import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HuggingFaceConfiguration } from '../configuration.js';
import { EmbeddingError } from '../embedding-error.js';
import { type Provider, textOf } from './provider.js';

const PEER = '@huggingface/transformers';
/** Texts of one run of the model: more need more memory and are no faster on a processor. */
const INPUTS_MAX = 16;

/** The part of the optional peer that is used. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Extractor>;
}
type Extractor = {
  (texts: string[], options: { pooling: 'mean' | 'cls'; normalize: boolean }): Promise<Tensor>;
  dispose(): Promise<unknown>;
};
interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/**
 * A model that runs in this process. It is a folder in the layout of a model repository (config.json, tokenizer.json,
 * onnx/), or an installed package that is or contains such a folder: nothing is downloaded. Throws EmbeddingError of
 * kind `configuration` where there is none.
 */
export function huggingFaceProvider({ model, pooling = 'useModel' }: HuggingFaceConfiguration): Provider {
  const folder = modelFolder(model);
  const mode = pooling === 'useModel' ? modelPooling(folder) : pooling === 'forceCls' ? 'cls' : 'mean';
  let loading: Promise<Extractor> | undefined;
  const load = (): Promise<Extractor> => {
    loading ??= loadModel(folder);
    return loading;
  };
  return {
    inputsMax: INPUTS_MAX,
    dimCount: null,
    async request(inputs, { signal }) {
      const extractor = await load();
      if (signal?.aborted) throw new EmbeddingError('aborted', 'The local model was stopped.');
      const { data, dims } = await extractor(inputs.map(textOf), { pooling: mode, normalize: true });
      const dimCount = dims.at(-1)!;
      return inputs.map((_, at) => data.slice(at * dimCount, (at + 1) * dimCount));
    },
    async close() {
      await (await loading)?.dispose();
    },
  };
}

/** The folder of a model. */
function modelFolder(model: string): string {
  const asFolder = resolve(model);
  if (isModelFolder(asFolder)) return asFolder;
  const packaged = packageFolder(model);
  const inPackage = packaged === null ? [] : [packaged, join(packaged, 'model')];
  const found = inPackage.find(isModelFolder);
  if (found !== undefined) return found;
  throw new EmbeddingError(
    'configuration',
    `The model \`${model}\` of the huggingFace embedder is neither a folder with config.json, tokenizer.json and onnx/ nor an installed package that holds ` +
      'one. Models are not downloaded: put the folder on this machine and give its path as `model`.',
  );
}

function isModelFolder(folder: string): boolean {
  return ['config.json', 'tokenizer.json', 'onnx'].every((name) => existsSync(join(folder, name)));
}

function packageFolder(name: string): string | null {
  if (!/^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/.test(name)) return null;
  const require = createRequire(join(process.cwd(), 'package.json'));
  for (const folder of require.resolve.paths(name) ?? []) {
    const path = join(folder, name);
    if (existsSync(path) && statSync(path).isDirectory()) return path;
  }
  return null;
}

/**
 * The pooling that the model was trained with, from 1_Pooling/config.json of sentence-transformers; mean if that is
 * missing.
 */
function modelPooling(folder: string): 'mean' | 'cls' {
  const file = join(folder, '1_Pooling', 'config.json');
  if (!existsSync(file)) return 'mean';
  const { pooling_mode_cls_token: isCls } = JSON.parse(readFileSync(file, 'utf8')) as {
    pooling_mode_cls_token?: boolean;
  };
  return isCls === true ? 'cls' : 'mean';
}

async function loadModel(folder: string): Promise<Extractor> {
  const transformers = await loadPeer();
  transformers.env.allowRemoteModels = false;
  transformers.env.allowLocalModels = true;
  transformers.env.localModelPath = dirname(folder);
  try {
    // quantised weights are a quarter of the size and twice as fast; a model may have one kind, the other or both
    const isQuantized = existsSync(join(folder, 'onnx', 'model_quantized.onnx'));
    return await transformers.pipeline('feature-extraction', folder, {
      dtype: isQuantized ? 'q8' : 'fp32',
      local_files_only: true,
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddingError(
      'configuration',
      `The model of the huggingFace embedder in ${folder} cannot be loaded: ${reason}`,
      { cause },
    );
  }
}

/** The peer as installed by the running program, or by this package. */
async function loadPeer(): Promise<Transformers> {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href]) {
    let file: string;
    try {
      file = createRequire(from).resolve(PEER);
    } catch {
      continue;
    }
    const found = (await import(pathToFileURL(file).href)) as Partial<Transformers> & {
      readonly default?: Transformers;
    };
    // a module found by `require` is CommonJS: its names are those of the default export
    return found.env === undefined ? found.default! : (found as Transformers);
  }
  throw new EmbeddingError(
    'configuration',
    `The huggingFace embedder needs the package \`${PEER}\`: npm install ${PEER}.`,
  );
}
