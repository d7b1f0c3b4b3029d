import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { ApiFault } from '../api/client.js';
import { Icon } from './icon.js';

interface Props {
  readonly fault: Error;
  readonly title?: string;
  /** Tries again, if that may help. */
  readonly onRetry?: () => void;
}

function titleOf(fault: ApiFault | null): string {
  if (fault?.status === 0) return 'No answer';
  return fault?.requiresKey === true ? 'This key may not do that' : 'That did not work';
}

/** An error in the server's own words, with a link to its documentation. */
export function FaultNote({ fault, title, onRetry }: Props) {
  const known = fault instanceof ApiFault ? fault : null;
  const isRefused = known?.requiresKey === true;
  return (
    <Alert
      color="red"
      icon={<Icon name={isRefused ? 'key-round' : 'circle-alert'} />}
      title={title ?? titleOf(known)}
      role="alert"
      my="sm"
    >
      <Text size="sm">{fault.message}</Text>
      <Group mt="xs" gap="md">
        {known?.link !== undefined && known.link !== '' && (
          <Anchor href={known.link} target="_blank" rel="noreferrer" size="sm">
            What {known.code} means
          </Anchor>
        )}
        {onRetry !== undefined && (
          <Button size="compact-sm" variant="light" color="gray" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
