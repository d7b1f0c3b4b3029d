import { Alert, Button, Group, Text } from '@mantine/core';

/** Others have changed since then what a draft began with; the message says what, after `Since you began,`. */
export class ChangedMeanwhile extends Error {}

interface Props {
  readonly fault: ChangedMeanwhile;
  /** The draft begins anew, with what is there now. */
  readonly onAnew: () => void;
  /** The draft is saved all the same. */
  readonly onForced: () => void;
}

/** Why a draft is not saved, with the choice between what others have made and one's own. */
export function ChangedNote({ fault, onAnew, onForced }: Props) {
  return (
    <Alert color="red" title="Not saved: changed by somebody else" role="alert" my="sm">
      <Text size="sm">Since you began, {fault.message}.</Text>
      <Group mt="xs" gap="xs">
        <Button size="compact-sm" variant="light" onClick={onAnew}>
          Take theirs
        </Button>
        <Button size="compact-sm" variant="light" color="red" onClick={onForced}>
          Overwrite them
        </Button>
      </Group>
    </Alert>
  );
}
