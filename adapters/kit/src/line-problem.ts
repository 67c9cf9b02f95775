import type { Locale } from '@sluice/contract';

type Words = Record<Locale, string>;

const unresolved: Words = {
  EN: 'The name in the address cannot be resolved. Check how it is spelled, and whether this server may know it (internal names need the company’s name server).',
  NL: 'De naam in het adres is niet te vinden. Controleer de spelling, en of deze server hem mag kennen (interne namen vragen om de naamserver van het bedrijf).',
};
const refused: Words = {
  EN: 'The connection is refused: nothing listens at this address and port. Check the port, and whether the system runs.',
  NL: 'De verbinding wordt geweigerd: op dit adres en deze poort luistert niets. Controleer de poort, en of het systeem draait.',
};
const noWay: Words = {
  EN: 'There is no way to this address from here. Check the address and the network.',
  NL: 'Vanaf hier leidt geen weg naar dit adres. Controleer het adres en het netwerk.',
};
const silent: Words = {
  EN: 'Nobody answered the attempt to connect; often a firewall is in between. Check the address, and let this server through.',
  NL: 'Niemand antwoordde op de poging te verbinden; vaak zit er een firewall tussen. Controleer het adres, en laat deze server door.',
};
const cut: Words = {
  EN: 'The other side cut the connection. Check whether the address begins with http or https as the system expects.',
  NL: 'De andere kant verbrak de verbinding. Controleer of het adres met http of https begint zoals het systeem verwacht.',
};
const expired: Words = {
  EN: 'The certificate of the system has expired. It has to be renewed there.',
  NL: 'Het certificaat van het systeem is verlopen. Het moet daar worden vernieuwd.',
};
const untrusted: Words = {
  EN: 'The certificate of the system is not signed by an authority that this server trusts. Have it signed by one, or let this server trust its authority (NODE_EXTRA_CA_CERTS).',
  NL: 'Het certificaat van het systeem is niet ondertekend door een instantie die deze server vertrouwt. Laat het daar ondertekenen, of laat deze server die instantie vertrouwen (NODE_EXTRA_CA_CERTS).',
};
const otherName: Words = {
  EN: 'The certificate of the system is made for another name. Use the name that stands in it.',
  NL: 'Het certificaat van het systeem is voor een andere naam gemaakt. Gebruik de naam die erin staat.',
};
const noTls: Words = {
  EN: 'What answers does not speak https. Try the address with http.',
  NL: 'Wat antwoordt spreekt geen https. Probeer het adres met http.',
};

const words: Readonly<Record<string, Words>> = {
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  ECONNREFUSED: refused,
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  ETIMEDOUT: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  CERT_HAS_EXPIRED: expired,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  EPROTO: noTls,
};

/** The system's code of a failed connection, wherever it stands among the causes; '' = none. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return '';
  const own = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return own in words ? own : codeOf(error.cause);
}

/**
 * What exactly failed on the way to a system, and what to do, for the person who tests a connection; null where the
 * line was not the problem. A certain address that is not allowed keeps its own words.
 */
export function lineProblem(error: unknown, locale: Locale): string | null {
  const code = codeOf(error);
  if (code === '') return null;
  const isForbidden =
    error instanceof Error && /SLUICE_ALLOW_PRIVATE_ADDRESSES|never allowed/.test(reasons(error));
  return isForbidden ? null : (words[code]?.[locale] ?? null);
}

const reasons = (error: Error): string =>
  [error.message, error.cause instanceof Error ? reasons(error.cause) : ''].join(' ');
