import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface User {
  name: string;
  /** May read everything but the employees, and write nothing. */
  isReader: boolean;
}

export interface Accounts {
  username: string;
  password: string;
}

const tokenLife = 60 * 60 * 1000;

function equal(a: string, b: string): boolean {
  const key = 'compare';
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Basic authentication and OAuth2 client credentials; tokens are signed and need no store. */
export class Authentication {
  readonly #users: Map<string, { password: string; user: User }>;
  readonly #secret = randomBytes(32);

  constructor({ username, password }: Accounts) {
    this.#users = new Map([
      [username, { password, user: { name: username, isReader: false } }],
      ['anna', { password, user: { name: 'anna', isReader: false } }],
      ['reader', { password, user: { name: 'reader', isReader: true } }],
    ]);
  }

  userOf(header: string | undefined, now: Date): User | null {
    const [scheme = '', credentials = ''] = (header ?? '').split(' ');
    if (scheme.toLowerCase() === 'basic') return this.#basic(credentials);
    return scheme.toLowerCase() === 'bearer' ? this.#bearer(credentials, now) : null;
  }

  #basic(credentials: string): User | null {
    const text = Buffer.from(credentials, 'base64').toString();
    const colon = text.indexOf(':');
    const known = this.#users.get(text.slice(0, Math.max(colon, 0)));
    return known && equal(known.password, text.slice(colon + 1)) ? known.user : null;
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url');
  }

  #bearer(token: string, now: Date): User | null {
    const [expires = '', signature = ''] = token.split('.');
    if (!equal(this.#sign(expires), signature) || Number(expires) < now.getTime()) return null;
    return { name: 'api', isReader: false };
  }

  /** A bearer token for the client `sandbox` with secret `sandbox`; null when they are wrong. */
  issueToken(clientId: string, clientSecret: string, now: Date) {
    if (!equal(clientId, 'sandbox') || !equal(clientSecret, 'sandbox')) return null;
    const expires = String(now.getTime() + tokenLife);
    return {
      access_token: `${expires}.${this.#sign(expires)}`,
      token_type: 'Bearer',
      expires_in: tokenLife / 1000,
    };
  }
}
