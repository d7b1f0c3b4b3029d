import { Button, Code, CopyButton, MultiSelect, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useIndexes } from '../../api/queries.js';
import type { ApiKey, Page } from '../../api/types.js';
import { FaultNote } from '../../parts/fault-note.js';
import { NumberInput } from '../../parts/inputs/number-input.js';
import { signToken } from '../../parts/sign-token.js';

const HOUR_SECONDS = 3_600;

/** Makes a tenant token: a key that is narrowed to indexes and documents. It is signed here, and no server is asked. */
export function TenantToken() {
  const { data, error } = useQuery({
    queryKey: ['keys', 'for-tokens'],
    queryFn: ({ signal }) => call<Page<ApiKey>>('GET', '/keys', { query: { limit: 1_000 }, signal }),
    retry: false,
  });
  const uids = useIndexes().data?.results.map(({ uid }) => uid) ?? [];
  const [keyUid, setKeyUid] = useState<string | null>(null);
  const [indexes, setIndexes] = useState<string[]>([]);
  const [filter, setFilter] = useState('');
  const [hours, setHours] = useState<number | null>(24);
  const [token, setToken] = useState<string | null>(null);
  const keys = (data?.results ?? []).filter(({ actions }) =>
    actions.some((action) => action === 'search' || action === '*'),
  );
  const key = keys.find(({ uid }) => uid === keyUid) ?? keys[0];
  const make = async (): Promise<void> => {
    if (key === undefined) return;
    const rules = filter.trim() === '' ? indexes : Object.fromEntries(indexes.map((uid) => [uid, { filter }]));
    const end = hours === null ? {} : { exp: Math.floor(Date.now() / 1000 + hours * HOUR_SECONDS) };
    setToken(await signToken({ apiKeyUid: key.uid, searchRules: rules, ...end }, key.key));
  };
  return (
    <section className="panel pad" aria-label="Tenant token">
      <Title order={2}>Tenant token</Title>
      <Text size="sm" c="dimmed" mb="sm">
        What one user may find: a key for searches, narrowed to indexes and to documents that a filter selects. It is
        signed in this browser.
      </Text>
      {error !== null && <FaultNote fault={error} />}
      {crypto.subtle === undefined && <Text size="sm">Signing takes a page that came by HTTPS or from localhost.</Text>}
      {key !== undefined && crypto.subtle !== undefined && (
        <Stack gap="sm">
          <Select
            label="Key"
            data={keys.map(({ uid, name }) => ({ value: uid, label: name ?? uid }))}
            value={key.uid}
            onChange={setKeyUid}
            allowDeselect={false}
          />
          <MultiSelect
            label="Indexes of the token"
            data={uids}
            value={indexes}
            onChange={setIndexes}
            searchable
            hidePickedOptions
            required
          />
          <TextInput
            label="Filter"
            placeholder='user = "ann"'
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <NumberInput label="Hours until it ends" min={0} value={hours} onChange={setHours} />
          <Button onClick={make} disabled={indexes.length === 0}>
            Make the token
          </Button>
          {token !== null && (
            <>
              <Code block aria-label="Token" tabIndex={0} role="region" className="token">
                {token}
              </Code>
              <CopyButton value={token}>
                {({ copied, copy }) => (
                  <Button variant="light" onClick={copy}>
                    {copied ? 'Copied' : 'Copy'}
                  </Button>
                )}
              </CopyButton>
            </>
          )}
        </Stack>
      )}
    </section>
  );
}
