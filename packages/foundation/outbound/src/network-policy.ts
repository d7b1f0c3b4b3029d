import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/**
 * Prefixes of IPv6 that contain an IPv4 address, and the 16-bit part it begins at: such an address leads to the IPv4
 * address.
 */
const CARRIERS: readonly (readonly [prefix: string, bits: number, part: number])[] = [
  ['::ffff:0:0', 96, 6], // mapped, RFC 4291
  ['::ffff:0:0:0', 96, 6], // translated, RFC 6145
  ['64:ff9b::', 96, 6], // NAT64, RFC 6052: every IPv4 host as seen by a network with IPv6 only
  ['2002::', 16, 1], // 6to4, RFC 3056
  ['::', 96, 6], // compatible, RFC 4291; `::` and `::1` are not, whatever their last bits are
];
const carriers = CARRIERS.map(([prefix, bits, part]) => [ipaddr.IPv6.parse(prefix), bits, part] as const);
/** All public addresses that IANA assigns in IPv6; the library also treats unassigned space as public. */
const GLOBAL_UNICAST: Range = ipaddr.parseCIDR('2000::/3');

/** A call to a host that the policy forbids: no later attempt succeeds. */
export class ClosedNetworkError extends Error {
  readonly host: string;

  constructor(host: string) {
    super(`\`${host}\` is on a private network, which only \`--experimental-allowed-ip-networks\` opens`);
    this.name = 'ClosedNetworkError';
    this.host = host;
  }
}

/** The host that the policy forbade, if that is why a call failed; HTTP clients may give the reason as `cause`. */
export function closedHost(error: unknown): string | null {
  for (let fault = error; fault instanceof Error; fault = fault.cause)
    if (fault instanceof ClosedNetworkError) return fault.host;
  return null;
}

/**
 * Decides which addresses outgoing calls may reach: public ones and those that the operator allows. Loopback, private,
 * link-local, site-local, multicast, unspecified and reserved ranges are forbidden, also if an IPv6 address contains
 * one of them.
 */
export class NetworkPolicy {
  private readonly allowed: readonly Range[];
  private readonly allowsAny: boolean;

  /**
   * `allowed` is `any`, or a comma list of CIDR ranges allowed besides the public ones. Throws RangeError on anything
   * else.
   */
  constructor(allowed: string | null) {
    this.allowsAny = allowed?.trim() === 'any';
    this.allowed = allowed === null || this.allowsAny ? [] : allowed.split(',').map((text) => readRange(text.trim()));
  }

  allows(address: string): boolean {
    if (this.allowsAny) return true;
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.parse(address);
    const carried = carriedBy(parsed);
    const opens = (given: Address): boolean => this.allowed.some((range) => isWithin(given, range));
    return opens(parsed) || (carried === null ? isPublic(parsed) : opens(carried) || isPublic(carried));
  }
  /** Whether the host of a URL may be called at all; names are checked when they are resolved. */
  allowsHost(host: string): boolean {
    const address = host.replace(/^\[|\]$/g, '');
    return isIP(address) === 0 || this.allows(address);
  }
  /**
   * Resolves names for a socket and returns only allowed addresses. The socket connects to an address checked here and
   * does not resolve again, so that a name whose address changes in between (DNS rebinding) has no effect. Fails with
   * ClosedNetworkError if there is none.
   */
  readonly lookup: LookupFunction = (hostname, options, done) => {
    resolveName(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return done(error, '', 0);
      const open = found.filter(({ address }) => this.allows(address));
      const [first] = open;
      if (first === undefined) return done(new ClosedNetworkError(hostname), '', 0);
      if (options.all === true) return done(null, open);
      done(null, first.address, first.family);
    });
  };
}

function readRange(text: string): Range {
  const [address = '', bits, ...rest] = text.split('/');
  const width = bits === undefined ? (isIP(address) === 6 ? 128 : 32) : /^\d+$/.test(bits) ? Number(bits) : Number.NaN;
  // the library would also accept `127.1` and numbers in other bases
  if (isIP(address) === 0 || rest.length > 0 || !(width <= (isIP(address) === 6 ? 128 : 32)))
    throw new RangeError(`\`${text}\` is not a range of IP addresses`);
  const parsed = ipaddr.parse(address);
  const carried = parsed.kind() === 'ipv6' && (parsed as ipaddr.IPv6).isIPv4MappedAddress();
  if (!carried || width < 96) return [parsed, width];
  return [(parsed as ipaddr.IPv6).toIPv4Address(), width - 96];
}

function isWithin(address: Address, [base, bits]: Range): boolean {
  return address.kind() === base.kind() && address.match([base, bits] as [Address, number]);
}

function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST));
}

/** The IPv4 address that an IPv6 address leads to; null when there is none. */
function carriedBy(address: Address): ipaddr.IPv4 | null {
  if (address.kind() === 'ipv4') return null;
  const given = address as ipaddr.IPv6;
  if (given.range() === 'unspecified' || given.range() === 'loopback') return null;
  const carrier = carriers.find(([prefix, bits]) => given.match(prefix, bits));
  if (carrier === undefined) return null;
  const [high = 0, low = 0] = given.parts.slice(carrier[2], carrier[2] + 2);
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
