import { notifications } from '@mantine/notifications';

const CLOSE = { closeButtonProps: { 'aria-label': 'Close' }, withBorder: true };

/** Says in the corner what was done. */
export function notify(message: string): void {
  notifications.show({ message, color: 'pine', ...CLOSE });
}
/** Says what went wrong, for longer. */
export function notifyFault(fault: Error, title = 'That did not work'): void {
  notifications.show({ title, message: fault.message, color: 'red', autoClose: 10_000, ...CLOSE });
}
