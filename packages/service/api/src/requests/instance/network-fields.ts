import { MAX_REMOTE_NAME_UNITS, MAX_REMOTES, MAX_URL_UNITS } from '@fossick/base';
import {
  checked,
  checkLength,
  type Fields,
  type Kind,
  listOf,
  mapOf,
  nullable,
  objectOf,
  optional,
  type Parser,
  parsers,
  type Received,
  text,
  textUpTo,
} from '@fossick/base/contract';
import { httpAddress } from './addresses.js';

const REMOTE = {
  url: optional(
    'invalid_network_url',
    httpAddress('Address of the instance. A new one has to have it.', 'http://ms-1.example.com'),
  ),
  searchApiKey: optional('invalid_network_search_api_key', textUpTo(MAX_URL_UNITS, 'Key that searches there.')),
  writeApiKey: optional('invalid_network_write_api_key', textUpTo(MAX_URL_UNITS, 'Key that writes there.')),
};
const remoteNames = listOf(text(''), { says: 'Names of remotes.', maxItems: MAX_REMOTES });
const SHARD = {
  remotes: optional('invalid_network_shards', remoteNames),
  addRemotes: optional('invalid_network_shards', remoteNames),
  removeRemotes: optional('invalid_network_shards', remoteNames),
};
/** Changes of one kind by name; null removes what has the name. */
export type NetworkChanges<F extends Fields> = Readonly<Record<string, Received<F> | null>>;
export type RemoteChanges = NetworkChanges<typeof REMOTE>;
export type ShardChanges = NetworkChanges<typeof SHARD>;

const remoteName = textUpTo(MAX_REMOTE_NAME_UNITS, 'Name of this instance.', 'ms-0');
function changesOf<F extends Fields>(fields: F, says: string): Kind<NetworkChanges<F>> {
  const change = nullable(objectOf(fields));
  const parse: Parser<NetworkChanges<F>> = (value, where) => {
    const given = Object.entries(parsers.object(value, where));
    checkLength(given.length, MAX_REMOTES, where);
    const changes = given.map(([name, entry]) => {
      const path = `${where.path}.${remoteName.parse(name, where)}`;
      return [name, change.parse(entry, { code: where.code, path })] as const;
    });
    return Object.fromEntries(changes);
  };
  return checked(mapOf(change, says), parse);
}
/** Body of a change of the network. */
export const NETWORK_BODY = {
  self: optional('invalid_network_self', remoteName),
  remotes: optional('invalid_network_remotes', changesOf(REMOTE, 'Instances by name; null removes one.')),
  shards: optional('invalid_network_shards', changesOf(SHARD, 'Shards by name; null removes one.')),
  leader: optional('invalid_network_leader', text('Taken by no instance of this kind.')),
};
/** A member that it refuses with a code of its own. */
export const NETWORK_RULE = { immutable: { previousRemotes: 'unexpected_network_previous_remotes' } } as const;
