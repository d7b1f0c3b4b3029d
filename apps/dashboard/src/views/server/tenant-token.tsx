import { Button, Code, CopyButton, MultiSelect, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useIndexes, useKeys } from '../../api/queries.js';
import type { ApiKey } from '../../api/types.js';
import { FaultNote } from '../../parts/fault-note.js';
import { NumberInput } from '../../parts/inputs/number-input.js';
import { typed } from '../../parts/inputs/typed.js';
import { signToken } from '../../parts/sign-token.js';

const HOUR_SECONDS = 3_600;

/** Makes a tenant token: a key that is narrowed to indexes and documents. It is signed here, after the server has read its filter. */
export function TenantToken() {
  const { data, error } = useKeys();
  const uids = useIndexes().data?.results.map(({ uid }) => uid) ?? [];
  const [keyUid, setKeyUid] = useState<string | null>(null);
  const [indexes, setIndexes] = useState<string[]>([]);
  const [filter, setFilter] = useState('');
  const [hours, setHours] = useState<number | null>(24);
  const keys = (data?.results ?? []).filter(({ actions }) =>
    actions.some((action) => action === 'search' || action === '*'),
  );
  const key = keys.find(({ uid }) => uid === keyUid) ?? keys[0];
  const make = useMutation({
    mutationFn: async ({ uid: apiKeyUid, key: secret }: ApiKey): Promise<string> => {
      const isNarrow = filter.trim() !== '';
      if (isNarrow) for (const uid of indexes) await checkFilter(uid, filter, secret);
      const searchRules = isNarrow ? Object.fromEntries(indexes.map((uid) => [uid, { filter }])) : indexes;
      const end = hours === null ? {} : { exp: Math.floor(Date.now() / 1000 + hours * HOUR_SECONDS) };
      return signToken({ apiKeyUid, searchRules, ...end }, secret);
    },
  });
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
            {...typed(filter, (text) => {
              setFilter(text);
              make.reset();
            })}
            error={make.error?.message}
          />
          <NumberInput label="Hours until it ends" min={0} value={hours} onChange={setHours} />
          <Button onClick={() => make.mutate(key)} loading={make.isPending} disabled={indexes.length === 0}>
            Make the token
          </Button>
          {make.data !== undefined && (
            <>
              <Code block aria-label="Token" tabIndex={0} role="region" className="token">
                {make.data}
              </Code>
              <CopyButton value={make.data}>
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

/** Asks the server for nothing with a filter, by the key of the token. @throws Error that names the index */
async function checkFilter(uid: string, filter: string, key: string): Promise<void> {
  try {
    await call('POST', `/indexes/${encodeURIComponent(uid)}/search`, { body: { filter, limit: 0 }, key });
  } catch (fault) {
    throw new Error(`${uid}: ${(fault as Error).message}`);
  }
}
