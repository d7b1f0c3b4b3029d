import { notifications } from '@mantine/notifications';

const CLOSE = { closeButtonProps: { 'aria-label': 'Close' }, withBorder: true };

/** Shows a completed action in the corner. */
export function notify(message: string): void {
  notifications.show({ message, color: 'pine', ...CLOSE });
}
/** Shows an error in the corner, for longer. */
export function notifyFault(fault: Error, title = 'That did not work'): void {
  notifications.show({ title, message: fault.message, color: 'red', autoClose: 10_000, ...CLOSE });
}
