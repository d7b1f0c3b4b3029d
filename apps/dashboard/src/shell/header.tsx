import {
  ActionIcon,
  Anchor,
  Badge,
  Burger,
  Group,
  Loader,
  Menu,
  Popover,
  Select,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { addressOf, isRefused } from '../api/client.js';
import { forgetKey, storedKey } from '../api/key.js';
import { useIndexes, useOpenTaskCount, useVersion } from '../api/queries.js';
import { indexPath } from '../parts/current-index.js';
import { Icon } from '../parts/icon.js';
import type { IconName } from '../parts/icon-names.js';
import { IndexField } from '../parts/index-field.js';
import mark from '../parts/mark.svg';
import { mayLeave } from '../parts/unsaved.js';

interface Props {
  readonly uid: string | undefined;
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
  readonly onSignOut: () => void;
}

/** The bar at the top: product, current index, running tasks, and actions of the page. */
export function Header({ uid, isMenuOpen, onMenu, onSignOut }: Props) {
  const queries = useQueryClient();
  const signOut = (): void => {
    if (!mayLeave()) return;
    forgetKey();
    queries.clear();
    onSignOut();
  };
  return (
    <Group h="100%" px="md" gap="sm" wrap="nowrap">
      <Burger opened={isMenuOpen} onClick={onMenu} hiddenFrom="sm" size="sm" aria-label="Views" />
      <Link href="/" className="brand" aria-label="Fossick, to the first page">
        <img src={mark} alt="" width={28} height={28} />
        <span className="brand-name">Fossick</span>
      </Link>
      <IndexPicker uid={uid} />
      <Group ml="auto" gap="xs" wrap="nowrap">
        <Activity />
        <SchemeMenu />
        <HelpMenu />
        {storedKey() !== null && (
          <ActionIcon variant="subtle" color="gray" size="lg" onClick={signOut} aria-label="Sign out" title="Sign out">
            <Icon name="log-out" />
          </ActionIcon>
        )}
      </Group>
    </Group>
  );
}

function IndexPicker({ uid }: { readonly uid: string | undefined }) {
  const { data, error } = useIndexes();
  const [location, navigate] = useLocation();
  const uids = data?.results.map((index) => index.uid) ?? [];
  const view = /^\/index\/[^/]+\/([^/]+)/.exec(location)?.[1] ?? 'search';
  // a key for searches alone
  if (isRefused(error)) return <IndexField key={uid} uid={uid} view={view} />;
  if (uids.length === 0) return null;
  return (
    <Select
      aria-label="Index"
      data={uids}
      value={uid !== undefined && uids.includes(uid) ? uid : null}
      placeholder="Index"
      searchable={uids.length > 8}
      allowDeselect={false}
      onChange={(chosen) => chosen !== null && navigate(indexPath(chosen, view))}
      leftSection={<Icon name="database" size={16} />}
      className="index-picker"
    />
  );
}

function Activity() {
  const { data: count = 0, error } = useOpenTaskCount();
  if (error !== null || count === 0) return null;
  return (
    <Badge
      component={Link}
      href="/tasks"
      variant="light"
      size="lg"
      className="activity"
      leftSection={<Loader size={12} color="currentColor" />}
    >
      {count === 1 ? '1 task' : `${count} tasks`}
    </Badge>
  );
}

const SCHEMES: readonly {
  readonly value: 'light' | 'dark' | 'auto';
  readonly label: string;
  readonly icon: IconName;
}[] = [
  { value: 'auto', label: 'As the system', icon: 'monitor' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
];

function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[0]!;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Light or dark" title="Light or dark">
          <Icon name={current.icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label, icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon name={icon} size={16} />}
            rightSection={value === colorScheme ? <Icon name="check" size={14} /> : null}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const REPOSITORY = 'https://github.com/fossick/fossick';
const HELP: readonly { readonly label: string; readonly href: string }[] = [
  { label: 'Reference of the API', href: './docs' },
  { label: 'What this page can do', href: `${REPOSITORY}/blob/main/docs/guides/dashboard.md` },
  { label: 'Documentation', href: `${REPOSITORY}#documentation` },
  { label: 'Report a fault', href: `${REPOSITORY}/issues` },
];

/** The version of the server, its reference, and where help is. */
function HelpMenu() {
  const version = useVersion().data?.pkgVersion;
  return (
    <Popover position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Help" title="Help">
          <Icon name="info" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Help">
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            Fossick {FOSSICK_VERSION}
            {version !== undefined && `, API ${version}`}
          </Text>
          {HELP.map(({ label, href }) => (
            <Anchor
              key={href}
              href={href.startsWith('.') ? addressOf(href.slice(1)) : href}
              target="_blank"
              rel="noreferrer"
              size="sm"
            >
              {label}
            </Anchor>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
