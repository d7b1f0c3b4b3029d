/** What the module of a thread needs: an entry point of its own, because each module costs the start of a thread. */
import { type MessagePort, parentPort, receiveMessageOnPort, type Transferable, workerData } from 'node:worker_threads';

export { announceThread, PipeAbandoned, PipeReader, PipeWriter } from './byte-pipe.js';

/** A thread as its own module sees it. */
export interface OwnThread<Start, Command, Report> {
  readonly start: Start;
  /** The buffers and ports of `transfer` belong to the other thread from then on. */
  send(report: Report, transfer?: readonly Transferable[]): void;
  /** Also keeps the thread alive, until `close`. */
  onCommand(listener: (command: Command) => void): void;
  close(): void;
}

/** What the thread was started with, and its way back. Throws in the main thread. */
export function ownThread<Start, Command = never, Report = never>(): OwnThread<Start, Command, Report> {
  const port = parentPort;
  if (port === null) throw new Error('this module is the program of a thread');
  return {
    start: workerData as Start,
    send: (report, transfer = []) => port.postMessage(report, transfer),
    onCommand: (listener) => void port.on('message', listener),
    close: () => port.close(),
  };
}

/** The next message of a port that has one, for a thread that does not return to its event loop. */
export function receivedOn<Message>(port: MessagePort): Message | undefined {
  return (receiveMessageOnPort(port) as { readonly message: Message } | undefined)?.message;
}
