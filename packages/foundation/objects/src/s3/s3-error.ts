import { retryAfterMs } from '@fossick/outbound';
import { ObjectStoreError } from '../port.js';

/**
 * `clock`: this machine's differs from the store's. `credentials`: there are none, or the store does not accept them.
 * `access`: they may not do this. `bucket`: there is none of that name. `region`: the bucket is in another one. `busy`:
 * the store asks to come again later, or failed. `unreachable`: no answer. `refused`: another refusal. `setup`: nothing was
 * asked, because the package of the client or an option is missing or cannot be used.
 */
export type S3ErrorKind =
  | 'clock'
  | 'credentials'
  | 'access'
  | 'bucket'
  | 'region'
  | 'busy'
  | 'unreachable'
  | 'refused'
  | 'setup';

/** A request to an object store failed. The message has no secrets, and nothing else that the store sent but a code. */
export class S3Error extends ObjectStoreError {
  readonly kind: S3ErrorKind;

  constructor(kind: S3ErrorKind, message: string, isUnwritten = false) {
    super(message, isUnwritten);
    this.name = 'S3Error';
    this.kind = kind;
  }

  /** Whether the same request may succeed later, without anybody's doing. */
  get isPassing(): boolean {
    return this.kind === 'busy' || this.kind === 'unreachable';
  }
}

/** The error of a connection that ended before all bytes had come. */
export function cutOff(): Error {
  return Object.assign(new Error('the answer was cut off'), { code: 'ECONNRESET' });
}

/** What a failed request says about itself, in the terms of HTTP. */
export interface Failure {
  readonly kind: S3ErrorKind;
  /** The code that the store or the system gave. */
  readonly code: string;
  /** Null without an answer. */
  readonly status: number | null;
  /** Whether the store cannot have done what it was asked for. */
  readonly isUndone: boolean;
  /** What the store asked to wait; null when it asked for nothing. */
  readonly retryAfterMs: number | null;
}

const KINDS: Readonly<Record<S3ErrorKind, readonly string[]>> = {
  clock: ['RequestTimeTooSkewed', 'RequestExpired'],
  credentials: [
    'InvalidAccessKeyId',
    'SignatureDoesNotMatch',
    'InvalidToken',
    'ExpiredToken',
    'ExpiredTokenException',
    'TokenRefreshRequired',
    'InvalidSecurity',
    'InvalidClientTokenId',
    'InvalidIdentityToken',
    'IDPRejectedClaim',
    'CredentialsProviderError',
    'TokenProviderError',
    'ProviderError',
    'CredentialsError',
  ],
  access: ['AccessDenied', 'AllAccessDisabled', 'AccountProblem', 'NotSignedUp', 'MethodNotAllowed'],
  bucket: ['NoSuchBucket'],
  region: [
    'PermanentRedirect',
    'TemporaryRedirect',
    'AuthorizationHeaderMalformed',
    'IllegalLocationConstraintException',
  ],
  busy: [
    'SlowDown',
    'ServiceUnavailable',
    'RequestTimeout',
    'InternalError',
    'ConditionalRequestConflict',
    'OperationAborted',
  ],
  unreachable: [],
  refused: [],
  setup: [],
};
/** Nothing was done when the store says so; 409: another conditional request was there at the same time. */
const UNDONE_CODES = ['SlowDown', 'ServiceUnavailable', 'ConditionalRequestConflict', 'OperationAborted'];
/** Of system calls before anything was sent. */
const UNSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
const RETRY_AFTER_MAX_MS = 30_000;

/** What the client of AWS threw, as far as it is used here. */
interface ThrownByClient {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** Reads an error of the client. It is not kept: it has the headers of the request. */
export function failureOf(thrown: unknown): Failure {
  const { name, code, $metadata, $response } = (thrown ?? {}) as ThrownByClient;
  const status = $metadata?.httpStatusCode ?? null;
  const kinds = Object.keys(KINDS) as S3ErrorKind[];
  const named = kinds.find((kind) => typeof name === 'string' && KINDS[kind].includes(name));
  const said = codeOf(named === undefined && typeof code === 'string' ? code : name);
  const isAnswer = status !== null;
  const isSilence = typeof code === 'string' || name === 'TimeoutError' || name === 'AbortError';
  return {
    kind: named ?? (isAnswer ? kindOfStatus(status) : isSilence ? 'unreachable' : 'setup'),
    code: said,
    status,
    isUndone: isAnswer ? UNDONE_CODES.includes(said) || (status < 500 && status !== 408) : UNSENT_CODES.includes(said),
    retryAfterMs: askedPauseMs($response?.headers),
  };
}

function kindOfStatus(status: number): S3ErrorKind {
  if (status === 301 || status === 307) return 'region';
  if (status === 401) return 'credentials';
  if (status === 403) return 'access';
  return status === 429 || (status >= 500 && status !== 501) ? 'busy' : 'refused';
}

/** Codes are words: anything else that a server sends is not repeated. */
function codeOf(said: unknown): string {
  return typeof said === 'string' && /^[A-Za-z][\w.]{0,63}$/.test(said) ? said : 'unknown error';
}

function askedPauseMs(headers: Readonly<Record<string, string>> | undefined): number | null {
  const [, text = null] = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'retry-after') ?? [];
  const ms = retryAfterMs(text);
  return ms === null ? null : Math.min(ms, RETRY_AFTER_MAX_MS);
}

/** The error for people. `place` names the store and the bucket. */
export function errorOf({ kind, code, status, isUndone }: Failure, place: string): S3Error {
  const said = status === null || status === 200 ? code : `status ${status}, ${code}`;
  return new S3Error(kind, `${SENTENCES[kind](place)} (${said})`, isUndone);
}

const SENTENCES: Readonly<Record<S3ErrorKind, (place: string) => string>> = {
  clock: (place) => `the clock of this machine differs by more than 15 minutes from that of ${place}: set the clock`,
  credentials: (place) => `there are no credentials that ${place} accepts`,
  access: (place) => `the credentials do not have the right to do this in ${place}`,
  bucket: (place) => `there is no such bucket: ${place}`,
  region: (place) => `the region is not that of ${place}: name it`,
  busy: (place) => `${place} asks to come again later, or failed`,
  unreachable: (place) => `${place} does not answer`,
  refused: (place) => `${place} refused a request`,
  setup: (place) => `the options do not suffice to ask ${place}, for example a region is missing`,
};
