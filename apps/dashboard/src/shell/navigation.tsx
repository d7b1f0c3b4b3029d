import { NavLink, ScrollArea, Text } from '@mantine/core';
import { Link, useRoute } from 'wouter';
import { isServed } from '../api/extensions.js';
import { useCluster } from '../api/queries.js';
import { indexPath } from '../parts/current-index.js';
import { Icon } from '../parts/icon.js';
import type { IconName } from '../parts/icon-names.js';

interface Entry {
  readonly view: string;
  readonly label: string;
  readonly icon: IconName;
  /** The extension that answers the view. */
  readonly extension?: string;
}
const INDEX_ENTRIES: readonly Entry[] = [
  { view: 'search', label: 'Search', icon: 'search' },
  { view: 'documents', label: 'Documents', icon: 'files' },
  { view: 'settings', label: 'Settings', icon: 'settings' },
  { view: 'words', label: 'Synonyms', icon: 'book-a' },
  { view: 'compare', label: 'Side by side', icon: 'columns-3' },
];
const SERVER_ENTRIES: readonly Entry[] = [
  { view: 'indexes', label: 'Indexes', icon: 'database' },
  { view: 'tasks', label: 'Tasks', icon: 'list-checks' },
  { view: 'stats', label: 'Statistics', icon: 'chart-column' },
  { view: 'chat', label: 'Chat', icon: 'message-circle', extension: 'chats' },
  { view: 'analytics', label: 'Search analytics', icon: 'chart-line', extension: 'analytics' },
  { view: 'keys', label: 'API keys', icon: 'key-round' },
  { view: 'server', label: 'Advanced', icon: 'monitor' },
];

/** Only for nodes of a cluster. */
const CLUSTER_ENTRY: Entry = { view: 'cluster', label: 'Cluster', icon: 'server' };

/** Links to the views of the current index, and of the server. */
export function Navigation({ uid }: { readonly uid: string | undefined }) {
  const { data: cluster } = useCluster();
  const isNode = cluster !== undefined && cluster.role !== 'single';
  const served = SERVER_ENTRIES.filter(({ extension }) => extension === undefined || isServed(extension));
  const entries = isNode ? [...served, CLUSTER_ENTRY] : served;
  return (
    <ScrollArea p="sm">
      {uid !== undefined && (
        <>
          <Text className="nav-title" component="h2" truncate>
            {uid}
          </Text>
          {INDEX_ENTRIES.map((entry) => (
            <Item key={entry.view} {...entry} href={indexPath(uid, entry.view)} />
          ))}
        </>
      )}
      <Text className="nav-title" component="h2">
        Server
      </Text>
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
