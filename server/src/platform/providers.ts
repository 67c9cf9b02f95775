import { z } from 'zod';

const providerIds = ['business', 'education'] as const;
type ProviderId = (typeof providerIds)[number];

/** An identity provider that speaks OpenID Connect. */
export interface ProviderSettings {
  id: ProviderId;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  /** Which claim holds the name by which people are known there, and which the mail address. */
  usernameClaim: string;
  emailClaim: string;
}

/** On this machine only may a provider go without encryption: in tests. */
const isSafe = (url: string): boolean =>
  url.startsWith('https:') || ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);

const schema = z.object({
  ISSUER: z
    .url({ protocol: /^https?$/, error: 'must be an https address' })
    .refine(isSafe, 'must be an https address'),
  CLIENT_ID: z.string({ error: 'is needed beside the issuer' }),
  CLIENT_SECRET: z.string({ error: 'is needed beside the issuer' }),
  NAME: z.string().max(60).optional(),
  SCOPE: z.string().default('openid profile email'),
  USERNAME_CLAIM: z.string().default('preferred_username'),
  EMAIL_CLAIM: z.string().default('email'),
});

const names: Record<ProviderId, string> = {
  business: 'business account',
  education: 'education account',
};

/** Providers by `SLUICE_BUSINESS_…` and `SLUICE_EDUCATION_…`; one exists when any of its settings is there. */
export function readProviders(environment: Readonly<Record<string, string | undefined>>): {
  providers: ProviderSettings[];
  problems: string[];
} {
  const providers: ProviderSettings[] = [];
  const problems: string[] = [];
  for (const id of providerIds) {
    const prefix = `SLUICE_${id.toUpperCase()}_`;
    const given = Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
      ),
    );
    if (Object.keys(given).length === 0) continue;
    const parsed = schema.safeParse(given);
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues)
        problems.push(`${prefix}${String(path[0])}: ${message}`);
      continue;
    }
    const { data } = parsed;
    providers.push({
      id,
      name: data.NAME ?? names[id],
      issuer: data.ISSUER,
      clientId: data.CLIENT_ID,
      clientSecret: data.CLIENT_SECRET,
      scope: data.SCOPE,
      usernameClaim: data.USERNAME_CLAIM,
      emailClaim: data.EMAIL_CLAIM,
    });
  }
  return { providers, problems };
}
