import type { NetworkAnswer } from '@fossick/api';
import type { InstanceValues } from '@fossick/instance';

const VALUE_NAME = 'network';
const NIL_VERSION = '00000000-0000-0000-0000-000000000000';

/** Another instance that this one may search too. Keys are not masked. */
export type Remote = Omit<NetworkAnswer['remotes'][string], 'status'>;
export type Shard = NetworkAnswer['shards'][string];
/** The instances that search together; this one has the name `self`. */
export type Network = Omit<NetworkAnswer, 'remotes'> & { readonly remotes: Readonly<Record<string, Remote>> };
const EMPTY: Network = { self: null, remotes: {}, shards: {}, leader: null, version: NIL_VERSION };

export function readNetwork(values: InstanceValues): Network {
  return (values.get(VALUE_NAME) ?? EMPTY) as Network;
}
/** Replaces the network by what `next` makes of it, as InstanceValues.change does. */
export function changeNetwork(values: InstanceValues, next: (before: Network) => Network): Promise<Network> {
  return values.change(VALUE_NAME, (before) => next((before ?? EMPTY) as Network));
}
