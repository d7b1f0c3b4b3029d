import { own } from '@fossick/base';
import { ForbiddenAddressError, type ProviderRequest, type Transport } from '@fossick/embedders';
import { closedHost, type NetworkPolicy } from '@fossick/instance';
import { Agent } from 'undici';

/** Sends requests to embedding providers, only to addresses that the policy allows, whatever their names resolve to. */
export function policyTransport(policy: NetworkPolicy): { readonly transport: Transport; close(): Promise<void> } {
  const agent = new Agent({ connect: { lookup: policy.lookup } });
  const transport = async ({ url, method, headers, body, signal }: ProviderRequest) => {
    const target = new URL(url);
    if (!policy.allowsHost(target.hostname)) throw forbidden(target.hostname);
    const { username, password } = target;
    // as in browsers, credentials in a URL are sent as a header
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    const sent = agent.request({
      origin: target.origin,
      path: `${target.pathname}${target.search}`,
      method,
      headers: {
        ...(username === '' && password === '' ? {} : { authorization: `Basic ${credentials.toString('base64')}` }),
        ...headers,
      },
      body,
      signal,
    });
    const answer = await sent.catch((error: unknown) => {
      const host = closedHost(error);
      throw host === null ? error : forbidden(host);
    });
    return {
      status: answer.statusCode,
      header: (name: string) => {
        const value = own(answer.headers, name);
        return (Array.isArray(value) ? value[0] : value) ?? null;
      },
      body: answer.body,
    };
  };
  return { transport, close: () => agent.destroy() };
}

function forbidden(host: string): Error {
  return new ForbiddenAddressError(
    `\`${host}\` is on a private network, which only \`--experimental-allowed-ip-networks\` opens`,
  );
}
