/** What we use of `oidc-provider`, which brings no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Claims {
    sub: string;
    [claim: string]: unknown;
  }
  export default class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: readonly {
          client_id: string;
          client_secret: string;
          redirect_uris: readonly string[];
        }[];
        pkce: { required: () => boolean };
        claims: Record<string, readonly string[]>;
        conformIdTokenClaims: boolean;
        cookies: { keys: readonly string[] };
        findAccount: (context: unknown, sub: string) => Promise<{ accountId: string; claims: () => Claims }>;
      },
    );
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }
}
