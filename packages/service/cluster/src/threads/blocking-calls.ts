import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { describe, revived, type SentError } from './sent-errors.js';

/** Positions in the signal: a count of answers, and 1 once nobody answers any more. */
const [ANSWERS, ENDED] = [0, 1] as const;

/** What both sides of a channel of blocking calls share. */
export interface BlockingChannel {
  readonly port: MessagePort;
  /** Two numbers of 32 bits. */
  readonly signal: SharedArrayBuffer;
}

/** An answer: a value, or an error by its name, code and text. */
type Answer = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: SentError };

/** The other thread will not answer: it has ended. */
export class AnswererLostError extends Error {
  constructor() {
    super('the thread that answers has ended');
  }
}

export function newSignal(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** Ends all waits of callers, now and later. For whoever finds that the answering thread has ended. */
export function endWaits(signal: SharedArrayBuffer): void {
  const numbers = new Int32Array(signal);
  Atomics.store(numbers, ENDED, 1);
  Atomics.add(numbers, ANSWERS, 1);
  Atomics.notify(numbers, ANSWERS);
}

/** Calls of one thread that wait for the answer of another one, and block their thread meanwhile. */
export class BlockingCaller<Question> {
  private readonly port: MessagePort;
  private readonly numbers: Int32Array;
  private lastId = 0;

  constructor({ port, signal }: BlockingChannel) {
    this.port = port;
    this.numbers = new Int32Array(signal);
  }

  /** The answer. Throws what the other side has thrown, and AnswererLostError. */
  call(question: Question): unknown {
    const id = ++this.lastId;
    this.port.postMessage({ id, question });
    for (;;) {
      // before the look: an answer after it changes the count
      const seen = Atomics.load(this.numbers, ANSWERS);
      const received = receiveMessageOnPort(this.port) as { readonly message: Answer } | undefined;
      if (received?.message.id === id) return valueIn(received.message);
      if (received !== undefined) continue;
      if (Atomics.load(this.numbers, ENDED) === 1) throw new AnswererLostError();
      Atomics.wait(this.numbers, ANSWERS, seen);
    }
  }

  /** Says something that needs no answer. */
  say(question: Question): void {
    this.port.postMessage({ id: 0, question });
  }

  close(): void {
    this.port.close();
  }
}

/** Answers the calls of a channel, one after another or not: each by what `answer` resolves to. */
export function answerCalls<Question>(
  { port, signal }: BlockingChannel,
  answer: (question: Question) => Promise<unknown>,
): void {
  const numbers = new Int32Array(signal);
  port.on('message', ({ id, question }: { readonly id: number; readonly question: Question }) => {
    const send = (message: Answer): void => {
      if (id === 0) return;
      port.postMessage(message);
      Atomics.add(numbers, ANSWERS, 1);
      Atomics.notify(numbers, ANSWERS);
    };
    answer(question).then(
      (value) => send({ id, value }),
      (error: unknown) => send({ id, error: describe(error) }),
    );
  });
}

function valueIn(answer: Answer): unknown {
  if ('value' in answer) return answer.value;
  throw revived(answer.error);
}
