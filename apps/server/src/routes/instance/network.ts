import {
  checkLength,
  NETWORK_BODY,
  NETWORK_RULE,
  type NetworkAnswer,
  type RemoteChanges,
  readFields,
  requireFeature,
  type ShardChanges,
} from '@fossick/api';
import { apiError, MAX_REMOTES } from '@fossick/base';
import {
  changeNetwork,
  type Network,
  newRequestUid,
  type RemoteHealth,
  readNetwork,
  type Shard,
} from '@fossick/search-service';
import { authorize, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';

/** The network object, which federated searches over several instances read. */
export function registerNetwork(router: Router, context: ServerContext): void {
  const requireOn = (): void => requireFeature(context.features, 'network', '/network');
  router.on('GET', '/network', (request, reply) => {
    authorize(context, request, 'network.get');
    requireOn();
    return sendJson(reply, networkToJson(readNetwork(context.values), context.remotes.health));
  });
  router.on('PATCH', '/network', async (request, reply) => {
    authorize(context, request, 'network.update');
    const body = readFields(await readJson(request, context.options.readLimitBytes), NETWORK_BODY, NETWORK_RULE);
    requireOn();
    if (typeof body.leader === 'string') throw apiError('invalid_network_leader');
    const network = await changeNetwork(context.values, (before) => {
      const remotes = changedRemotes(before.remotes, body.remotes);
      return {
        self: body.self === undefined ? before.self : body.self,
        remotes,
        shards: withoutStrangers(changedShards(before.shards, body.shards), before.remotes, remotes),
        leader: null,
        // uids sort by time, so that the newer of two versions is known
        version: newRequestUid(),
      };
    });
    context.remotes.health.retain(Object.values(network.remotes).map((remote) => remote.url));
    return sendJson(reply, networkToJson(network, context.remotes.health));
  });
}

function networkToJson({ remotes, ...network }: Network, health: RemoteHealth): NetworkAnswer {
  const shown = Object.entries(remotes).map(([name, remote]): [string, NetworkAnswer['remotes'][string]] => {
    const isAvailable = name === network.self || health.isAvailable(remote.url);
    return [name, { ...remote, status: isAvailable ? 'available' : 'unavailable' }];
  });
  return { ...network, remotes: Object.fromEntries(shown) };
}

function changedRemotes(before: Network['remotes'], given: RemoteChanges | null | undefined): Network['remotes'] {
  return changedBy(before, given, 'remotes', (old, change, name) => {
    if (change.url === null) throw apiError('invalid_network_url', name);
    const address = change.url ?? old?.url;
    if (address === undefined) throw apiError('missing_network_url', name);
    return {
      url: address,
      searchApiKey: change.searchApiKey === undefined ? (old?.searchApiKey ?? null) : change.searchApiKey,
      writeApiKey: change.writeApiKey === undefined ? (old?.writeApiKey ?? null) : change.writeApiKey,
    };
  });
}

function changedShards(before: Network['shards'], given: ShardChanges | null | undefined): Network['shards'] {
  return changedBy(before, given, 'shards', (old, change) => {
    const start = change.remotes === undefined ? (old?.remotes ?? []) : (change.remotes ?? []);
    const names = new Set([...start, ...(change.addRemotes ?? [])]);
    for (const removed of change.removeRemotes ?? []) names.delete(removed);
    return { remotes: [...names].sort() };
  });
}

/** The entries after changes by name, in order of name; null removes one, or all. @throws ApiError for too many */
function changedBy<V, C>(
  before: Readonly<Record<string, V>>,
  given: Readonly<Record<string, C | null>> | null | undefined,
  member: 'remotes' | 'shards',
  changed: (old: V | undefined, change: C, name: string) => V,
): Readonly<Record<string, V>> {
  if (given === null) return {};
  const entries = new Map(Object.entries(before));
  for (const [name, change] of Object.entries(given ?? {}))
    if (change === null) entries.delete(name);
    else entries.set(name, changed(entries.get(name), change, name));
  checkLength(entries.size, MAX_REMOTES, { code: `invalid_network_${member}`, path: `.${member}` });
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A removed remote is also removed from shards; an unknown name is an error. */
function withoutStrangers(shards: Network['shards'], before: Network['remotes'], after: Network['remotes']) {
  const remaining = Object.entries(shards).map(([name, shard]): [string, Shard] => {
    const stranger = shard.remotes.find((remote) => !Object.hasOwn(before, remote) && !Object.hasOwn(after, remote));
    if (stranger !== undefined) throw apiError('invalid_network_shards', name, stranger);
    return [name, { remotes: shard.remotes.filter((remote) => Object.hasOwn(after, remote)) }];
  });
  return Object.fromEntries(remaining);
}
