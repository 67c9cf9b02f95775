import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface OidcProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who signs in as this name there; without it the name alone is known. */
  people: Map<string, Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

/**
 * A real identity provider (the certified `oidc-provider`) on a free port, with its own pages for signing in and
 * agreeing: any name is let in there with any password. Demands PKCE.
 */
export async function startOidcProvider(redirectUris: readonly string[]): Promise<OidcProvider> {
  const people: OidcProvider['people'] = new Map();
  let handle: http.RequestListener = (_, response) => void response.writeHead(503).end();
  const server = http.createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientId = 'sluice';
  const clientSecret = 'a secret that only these two know';
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    pkce: { required: () => true },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'name'],
    },
    // The id token alone has all that is asked for.
    conformIdTokenClaims: false,
    cookies: { keys: ['of the tests'] },
    findAccount: async (_, sub) => ({
      accountId: sub,
      claims: () => ({ preferred_username: sub, ...people.get(sub), sub }),
    }),
  });
  handle = provider.callback();
  return {
    issuer,
    clientId,
    clientSecret,
    people,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Walks through the provider's pages as a browser does; answers where it is sent back to. */
export async function signInAtProvider(redirectURL: string, name: string): Promise<URL> {
  const jar = new Map<string, string>();
  const origin = new URL(redirectURL).origin;
  let url = redirectURL;
  let form: Record<string, string> | null = null;
  for (let step = 0; step < 20; step += 1) {
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    form = null;
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';')[0] ?? '';
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location) {
      url = new URL(location, url).href;
      if (new URL(url).origin !== origin) return new URL(url);
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (!prompt) throw new Error(`The provider shows no form: ${page}`);
    url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', url).href;
    form = prompt === 'login' ? { prompt, login: name, password: 'any' } : { prompt };
  }
  throw new Error('The provider sends in circles');
}
