import { NavLink, ScrollArea, Text } from '@mantine/core';
import { Link, useRoute } from 'wouter';
import { isServed } from '../api/extensions.js';
import { useCluster, useRights } from '../api/queries.js';
import { indexPath } from '../parts/current-index.js';
import { Icon } from '../parts/icon.js';
import type { IconName } from '../parts/icon-names.js';

interface Entry {
  readonly view: string;
  readonly label: string;
  readonly icon: IconName;
  /** What a key needs for the view. */
  readonly action: string;
  /** The extension that answers the view. */
  readonly extension?: string;
}
const INDEX_ENTRIES: readonly Entry[] = [
  { view: 'search', label: 'Search', icon: 'search', action: 'search' },
  { view: 'documents', label: 'Documents', icon: 'files', action: 'documents.get' },
  { view: 'settings', label: 'Settings', icon: 'settings', action: 'settings.get' },
  { view: 'words', label: 'Synonyms', icon: 'book-a', action: 'settings.get' },
  { view: 'compare', label: 'Side by side', icon: 'columns-3', action: 'indexes.get' },
];
export const SERVER_ENTRIES = [
  { view: 'indexes', label: 'Indexes', icon: 'database', action: 'indexes.get' },
  { view: 'tasks', label: 'Tasks', icon: 'list-checks', action: 'tasks.get' },
  { view: 'stats', label: 'Statistics', icon: 'chart-column', action: 'stats.get' },
  { view: 'chat', label: 'Chat', icon: 'message-circle', action: 'chats.get', extension: 'chats' },
  { view: 'analytics', label: 'Search analytics', icon: 'chart-line', action: 'stats.get', extension: 'analytics' },
  { view: 'keys', label: 'API keys', icon: 'key-round', action: 'keys.get' },
  { view: 'server', label: 'Advanced', icon: 'monitor', action: 'experimental.get' },
  { view: 'cluster', label: 'Cluster', icon: 'server', action: 'stats.get', extension: 'cluster' },
] as const satisfies readonly Entry[];

/** Whether the server has what answers the view. */
export function isThere({ extension }: Entry): boolean {
  return extension === undefined || isServed(extension);
}

/** Links to the views of the current index, and of the server. */
export function Navigation({ uid }: { readonly uid: string | undefined }) {
  const { data: cluster } = useCluster();
  const isNode = cluster !== undefined && cluster.role !== 'single';
  const may = useRights();
  const allowed = (entry: Entry): boolean => may(entry.action) && isThere(entry);
  // only nodes of a cluster have something to say of it
  const entries = SERVER_ENTRIES.filter((entry) => allowed(entry) && (entry.view !== 'cluster' || isNode));
  return (
    <ScrollArea p="sm">
      {uid !== undefined && (
        <>
          <Text className="nav-title" component="h2" truncate>
            {uid}
          </Text>
          {INDEX_ENTRIES.filter(allowed).map((entry) => (
            <Item key={entry.view} {...entry} href={indexPath(uid, entry.view)} />
          ))}
        </>
      )}
      {entries.length > 0 && (
        <Text className="nav-title" component="h2">
          Server
        </Text>
      )}
      {entries.map((entry) => (
        <Item key={entry.view} {...entry} href={`/${entry.view}`} />
      ))}
    </ScrollArea>
  );
}

function Item({ label, icon, href }: Pick<Entry, 'label' | 'icon'> & { readonly href: string }) {
  const [isActive] = useRoute(href);
  return (
    <NavLink
      component={Link}
      href={href}
      label={label}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      leftSection={<Icon name={icon} />}
      className="nav-item"
    />
  );
}
