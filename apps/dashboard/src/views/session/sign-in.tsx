import { Alert, Button, Card, Center, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiFault, call } from '../../api/client.js';
import { saveKey } from '../../api/key.js';
import { typed } from '../../parts/inputs/typed.js';
import mark from '../../parts/mark.svg';

/** Asks for a key, and tests it before storing it. */
export function SignIn({ onDone }: { readonly onDone: () => void }) {
  const [key, setKey] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isTrying, setTrying] = useState(false);
  const queries = useQueryClient();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setTrying(true);
    setFault(await faultOfKey(key.trim()));
    setTrying(false);
  };
  const faultOfKey = async (given: string): Promise<string | null> => {
    const fault = await tryKey(given);
    if (fault !== null) return fault;
    saveKey(given);
    queries.clear();
    onDone();
    return null;
  };
  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder shadow="sm" padding="xl" radius="lg" w={420} maw="100%">
        <form onSubmit={submit}>
          <Stack>
            <img src={mark} alt="" width={44} height={44} />
            <div>
              <Title order={1}>This server needs a key</Title>
              <Text c="dimmed" mt={4}>
                Enter the master key, or an API key with the rights you need. It is kept until this tab is closed, and
                sent only to this server.
              </Text>
            </div>
            <PasswordInput
              label="API key"
              {...typed(key, setKey)}
              autoComplete="current-password"
              autoFocus
              data-autofocus
              required
            />
            {fault !== null && (
              <Alert color="red" role="alert">
                {fault}
              </Alert>
            )}
            <Button type="submit" loading={isTrying} disabled={key.trim() === ''}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}

/** Why the key cannot be used, or null: it must be able to see indexes or to search. */
async function tryKey(key: string): Promise<string | null> {
  try {
    await call('GET', '/indexes', { query: { limit: 1 }, key });
    return null;
  } catch (first) {
    if (!(first instanceof ApiFault)) throw first;
    if (first.status !== 403) return first.message;
    try {
      await call('POST', '/multi-search', { body: { queries: [] }, key });
      return null;
    } catch {
      return first.message;
    }
  }
}
