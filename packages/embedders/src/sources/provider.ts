import type { EmbedderInput, EmbedOptions } from '../port.js';

/** What speaks one provider's protocol: one request at a time. Sizes, splitting and counting are its caller's. */
export interface Provider {
  /** Inputs that go into one request, at most. */
  readonly inputsMax: number;
  /** Numbers of a vector where the configuration says it; null where the provider is to be asked. */
  readonly dimCount: number | null;
  /** The vectors of at most `inputsMax` inputs. Throws EmbeddingError. */
  request(inputs: readonly EmbedderInput[], options: EmbedOptions): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The text of an input; a fragment that is a string is one, any other is its JSON. */
export function textOf(input: EmbedderInput): string {
  if (input.kind === 'text') return input.text;
  return typeof input.value === 'string' ? input.value : JSON.stringify(input.value);
}
