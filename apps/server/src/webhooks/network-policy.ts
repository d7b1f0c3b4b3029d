import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Loopback, private, link-local and unspecified addresses: what a URL from outside must not reach (spec 04 section 16). */
const PRIVATE_RANGES: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
];

/** Decides which addresses outgoing calls may reach. */
export class NetworkPolicy {
  readonly #private = new BlockList();
  readonly #allowed = new BlockList();
  readonly #allowsAny: boolean;

  /** `allowed` is `any`, or a comma list of CIDR ranges that are open besides the public ones. Throws RangeError on anything else. */
  constructor(allowed: string | null) {
    this.#allowsAny = allowed?.trim() === 'any';
    for (const [address, bits] of PRIVATE_RANGES) this.#private.addSubnet(address, bits, familyOf(address));
    if (allowed === null || this.#allowsAny) return;
    for (const range of allowed.split(',').map((text) => text.trim())) {
      const [address = '', bits] = range.split('/');
      if (isIP(address) === 0) throw new RangeError(`\`${range}\` is not a range of IP addresses`);
      const family = familyOf(address);
      const width = bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits);
      if (!Number.isInteger(width) || width < 0 || width > (family === 'ipv6' ? 128 : 32))
        throw new RangeError(`\`${range}\` is not a range of IP addresses`);
      this.#allowed.addSubnet(address, width, family);
    }
  }

  allows(address: string): boolean {
    const family = familyOf(address);
    return this.#allowsAny || !this.#private.check(address, family) || this.#allowed.check(address, family);
  }
  /** Whether the host of a URL may be called at all; names are judged when they are resolved. */
  allowsHost(host: string): boolean {
    const address = host.replace(/^\[|\]$/g, '');
    return isIP(address) === 0 || this.allows(address);
  }
  /** Resolves names for a socket and refuses the ones that lead to a closed address, so that no name can smuggle it in. */
  readonly lookup: LookupFunction = (hostname, options, done) => {
    resolveName(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return done(error, '', 0);
      const open = found.filter(({ address }) => this.allows(address));
      const [first] = open;
      if (first === undefined) return done(new Error(`${hostname} is on a private network`), '', 0);
      if (options.all === true) return done(null, open);
      done(null, first.address, first.family);
    });
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
