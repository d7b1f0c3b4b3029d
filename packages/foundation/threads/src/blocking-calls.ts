import type { MessagePort } from 'node:worker_threads';
import { Bell } from './bell.js';
import { receivedOn } from './own.js';

/** What both sides of a channel of blocking calls share. */
export interface BlockingChannel {
  readonly port: MessagePort;
  /** Of the bell (bell.ts) that is rung with each answer. */
  readonly signal: SharedArrayBuffer;
}

/** An answer: a value, or an error in a form that a message can carry. */
type Answer<Fault> = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: Fault };

/** The other thread will not answer: it has ended. */
export class AnswererLostError extends Error {
  constructor() {
    super('the thread that answers has ended');
  }
}

/** A thread that waits for an answer does its other work so often, in milliseconds. */
const WORK_MS = 100;

/** Calls of one thread that wait for the answer of another one, and block their thread meanwhile. */
export class BlockingCaller<Question, Fault> {
  private readonly port: MessagePort;
  private readonly bell: Bell;
  private readonly revive: (fault: Fault) => Error;
  private readonly whileWaiting: () => void;
  private lastId = 0;

  /**
   * `revive` makes an error of the form in which it was sent. `whileWaiting` does, every 100 ms of a wait, what the
   * event loop of this thread cannot do meanwhile.
   */
  constructor(
    { port, signal }: BlockingChannel,
    revive: (fault: Fault) => Error,
    whileWaiting: () => void = () => undefined,
  ) {
    this.port = port;
    this.bell = new Bell(signal);
    this.revive = revive;
    this.whileWaiting = whileWaiting;
  }

  /** The answer. Throws what the other side has thrown, and AnswererLostError. */
  call(question: Question): unknown {
    const id = ++this.lastId;
    this.port.postMessage({ id, question });
    for (;;) {
      // before the look: an answer after it rings once more
      const { rings } = this.bell;
      const answer = receivedOn<Answer<Fault>>(this.port);
      if (answer?.id === id) {
        if ('value' in answer) return answer.value;
        throw this.revive(answer.error);
      }
      if (answer !== undefined) continue;
      if (this.bell.isEnded) throw new AnswererLostError();
      this.bell.wait(rings, WORK_MS);
      if (this.bell.rings === rings) this.whileWaiting();
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

/**
 * Answers the calls of a channel, one after another or not: each by what `answer` resolves to. `describe` gives an error
 * the form in which it is sent.
 */
export function answerCalls<Question, Fault>(
  { port, signal }: BlockingChannel,
  answer: (question: Question) => Promise<unknown>,
  describe: (error: unknown) => Fault,
): void {
  const bell = new Bell(signal);
  port.on('message', ({ id, question }: { readonly id: number; readonly question: Question }) => {
    const send = (message: Answer<Fault>): void => {
      if (id === 0) return;
      port.postMessage(message);
      bell.ring();
    };
    answer(question).then(
      (value) => send({ id, value }),
      (error: unknown) => send({ id, error: describe(error) }),
    );
  });
}
