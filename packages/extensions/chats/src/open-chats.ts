import type { ExtensionHost, OpenExtension } from '@fossick/runtime/extension';
import { completionRoute } from './completion-route.js';
import { OpenConversations } from './conversation/open-conversations.js';
import type { ChatOptions } from './options.js';
import { ChatWorkspaces } from './provider/chat-workspaces.js';
import { ConversationTurns } from './provider/conversation-turns.js';
import { ProviderClient } from './provider/provider-client.js';
import { workspaceRoutes } from './workspace-routes.js';

export function openChats(options: ChatOptions, host: ExtensionHost): OpenExtension {
  const { features, values, searches } = host.instance;
  const workspaces = new ChatWorkspaces(values);
  const turns = new ConversationTurns(() => searches.waitingCount > 0);
  const provider = new ProviderClient(host.policy, options, turns);
  const conversations = new OpenConversations(options);
  // with their library they are a twelfth of the modules of the server
  let loaded: ReturnType<typeof loadMetrics> | undefined;
  const metrics = () => {
    loaded ??= loadMetrics();
    return loaded;
  };
  const completion = completionRoute({
    options,
    host,
    workspaces,
    turns,
    provider,
    conversations,
    onEnd: (record) => void metrics().then((all) => all.record(record)),
  });
  return {
    routes: [...workspaceRoutes(workspaces, features), completion],
    describe: async () => (await import('./description.js')).CHATS_PART,
    metrics: async () => (await metrics()).text(),
    // loads the client ahead of time, so that the searches of the first conversation need not wait for it
    listening() {
      if (features.isOn('chatCompletions')) void provider.prepare().catch(host.onFault);
    },
    stopping: () => conversations.stop(),
    close: () => provider.close(),
  };
}

const loadMetrics = () => import('./chat-metrics.js').then(({ ChatMetrics }) => new ChatMetrics());
