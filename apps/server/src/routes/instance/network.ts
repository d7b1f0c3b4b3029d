import { randomBytes } from 'node:crypto';
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
import { changeNetwork, type Network, type RemoteHealth, readNetwork, type Shard } from '@fossick/search-service';
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
        version: uuidV7(Date.now()),
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
  if (given === null) return {};
  const remotes = new Map(Object.entries(before));
  for (const [name, change] of Object.entries(given ?? {})) {
    if (change === null) {
      remotes.delete(name);
      continue;
    }
    const old = remotes.get(name);
    if (change.url === null) throw apiError('invalid_network_url', name);
    const address = change.url ?? old?.url;
    if (address === undefined) throw apiError('missing_network_url', name);
    remotes.set(name, {
      url: address,
      searchApiKey: change.searchApiKey === undefined ? (old?.searchApiKey ?? null) : change.searchApiKey,
      writeApiKey: change.writeApiKey === undefined ? (old?.writeApiKey ?? null) : change.writeApiKey,
    });
  }
  checkLength(remotes.size, MAX_REMOTES, { code: 'invalid_network_remotes', path: '.remotes' });
  return Object.fromEntries([...remotes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function changedShards(before: Network['shards'], given: ShardChanges | null | undefined): Network['shards'] {
  if (given === null) return {};
  const shards = new Map(Object.entries(before));
  for (const [name, change] of Object.entries(given ?? {})) {
    if (change === null) {
      shards.delete(name);
      continue;
    }
    const start = change.remotes === undefined ? (shards.get(name)?.remotes ?? []) : (change.remotes ?? []);
    const names = new Set([...start, ...(change.addRemotes ?? [])]);
    for (const removed of change.removeRemotes ?? []) names.delete(removed);
    shards.set(name, { remotes: [...names].sort() });
  }
  checkLength(shards.size, MAX_REMOTES, { code: 'invalid_network_shards', path: '.shards' });
  return Object.fromEntries([...shards].sort(([a], [b]) => (a < b ? -1 : 1)));
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

/** A UUID of version 7: ordered by time, so that the newer of two versions can be recognised. */
function uuidV7(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
