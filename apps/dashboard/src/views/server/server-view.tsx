import { SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.js';
import { isServed } from '../../api/extensions.js';
import { useChange, useFeatures, waitForTask } from '../../api/queries.js';
import type { Page, Task, TaskReceipt } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { FaultNote } from '../../parts/fault-note.js';
import { formatName } from '../../parts/figures/numbers.js';
import { notifyFault } from '../../parts/notify.js';
import { ViewHead } from '../../parts/view-head.js';
import { Copies } from './copies.js';
import { Records } from './records.js';
import { TenantToken } from './tenant-token.js';
import { type Webhook, webhookChanges } from './webhook-changes.js';
import './server.css';
import { Panel } from '../../parts/panel.js';

/** What concerns the whole server: features, webhooks, search rules, copies, tenant tokens. */
export function ServerView() {
  return (
    <>
      <ViewHead title="Advanced" lead="Features, hooks, rules and copies: what concerns all indexes." />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Features />
        {isServed('transfer') && <Copies />}
        {isServed('webhooks') && <Webhooks />}
        <SearchRules />
        <TenantToken />
      </SimpleGrid>
    </>
  );
}

function Features() {
  const { data, error } = useFeatures();
  const change = useChange((features: Readonly<Record<string, boolean>>) =>
    call('PATCH', '/experimental-features', { body: features }),
  );
  return (
    <Panel title="Experimental features" label="Experimental features" gap="sm">
      {error !== null && <FaultNote fault={error} />}
      <Stack gap="xs">
        {Object.entries(data ?? {})
          .filter(([, isOn]) => typeof isOn === 'boolean')
          .map(([name, isOn]) => (
            <Switch
              key={name}
              label={formatName(name)}
              checked={isOn}
              disabled={change.isPending}
              onChange={({ currentTarget: { checked } }) =>
                change.mutate({ [name]: checked }, { onError: (fault) => notifyFault(fault) })
              }
            />
          ))}
      </Stack>
    </Panel>
  );
}

function Webhooks() {
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => call<{ readonly results: readonly Webhook[] }>('GET', '/webhooks', { signal }),
  });
  return (
    <div>
      <Answered query={webhooks}>{({ results }) => <WebhookRecords webhooks={results} />}</Answered>
    </div>
  );
}

function WebhookRecords({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  return (
    <Records
      title="Webhooks"
      noun="webhook"
      lead="Addresses that are called with each finished batch of tasks. Values of headers with secrets are masked."
      isNamed={false}
      template={{ url: 'https://', headers: {} }}
      records={webhooks.map(({ uuid: name, isEditable, url, headers }) => ({
        ...{ name, isEditable, shown: url },
        value: { url, headers },
      }))}
      onSave={(name, value, before) =>
        before === null
          ? call('POST', '/webhooks', { body: value })
          : call('PATCH', `/webhooks/${name}`, {
              body: webhookChanges(before.value as Webhook, value as Partial<Webhook>),
            })
      }
      onDelete={(name) => call('DELETE', `/webhooks/${name}`)}
    />
  );
}

const RULES = '/dynamic-search-rules';
interface SearchRule {
  readonly uid: string;
  readonly lastUpdatedAt: string;
}
function SearchRules() {
  const isOn = useFeatures().data?.['dynamicSearchRules'] === true;
  const rules = useQuery({
    queryKey: ['search-rules'],
    queryFn: ({ signal }) => call<Page<SearchRule>>('POST', RULES, { body: { limit: 1_000 }, signal }),
    enabled: isOn,
  });
  if (!isOn)
    return (
      <section className="panel pad" aria-label="Search rules">
        <Title order={2}>Search rules</Title>
        <Text size="sm" c="dimmed">
          They pin hits and change their weight. Switch on the experimental feature of that name first.
        </Text>
      </section>
    );
  return (
    <div>
      <Answered query={rules}>{({ results }) => <RuleRecords rules={results} />}</Answered>
    </div>
  );
}

function RuleRecords({ rules }: { readonly rules: readonly SearchRule[] }) {
  const path = (name: string): string => `${RULES}/${encodeURIComponent(name)}`;
  const finished = async (write: Promise<TaskReceipt>): Promise<Task> => waitForTask((await write).taskUid);
  return (
    <Records
      title="Search rules"
      noun="rule"
      lead="They pin hits and change their weight where the words, the filter and the time of a search fit."
      isNamed
      template={{ active: true, conditions: { query: { words: '' } }, actions: { pin: [{ id: '', position: 0 }] } }}
      records={rules.map(({ uid, lastUpdatedAt: _when, ...value }) => ({
        name: uid,
        shown: uid,
        value,
        isEditable: true,
      }))}
      onSave={(name, value) => finished(call('PATCH', path(name), { body: value }))}
      onDelete={(name) => finished(call('DELETE', path(name)))}
    />
  );
}
