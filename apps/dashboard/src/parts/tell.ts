import { notifications } from '@mantine/notifications';

/** Says in the corner what was done. */
export function tell(message: string): void {
  notifications.show({ message, color: 'pine', withBorder: true });
}
/** Says what went wrong, for longer. */
export function tellFault(fault: Error, title = 'That did not work'): void {
  notifications.show({ title, message: fault.message, color: 'red', withBorder: true, autoClose: 10_000 });
}
