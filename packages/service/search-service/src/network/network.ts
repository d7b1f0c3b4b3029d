import type { InstanceValues } from '@fossick/instance';

const VALUE_NAME = 'network';
const NIL_VERSION = '00000000-0000-0000-0000-000000000000';

/** Another instance that this one may search too. Keys are not masked. */
export interface Remote {
  readonly url: string;
  readonly searchApiKey: string | null;
  readonly writeApiKey: string | null;
}
export interface Shard {
  readonly remotes: readonly string[];
}
/** The instances that search together; this one has the name `self`. */
export interface Network {
  readonly self: string | null;
  readonly remotes: Readonly<Record<string, Remote>>;
  readonly shards: Readonly<Record<string, Shard>>;
  readonly leader: string | null;
  readonly version: string;
}
const EMPTY: Network = { self: null, remotes: {}, shards: {}, leader: null, version: NIL_VERSION };

export function readNetwork(values: InstanceValues): Network {
  return (values.get(VALUE_NAME) ?? EMPTY) as Network;
}
/** Replaces the network by what `next` makes of it, as InstanceValues.change does. */
export function changeNetwork(values: InstanceValues, next: (before: Network) => Network): Promise<Network> {
  return values.change(VALUE_NAME, (before) => next((before ?? EMPTY) as Network));
}
