/** `2026-03-01 10:00:00.12` without a zone, as it is meant in `zone`, to ISO 8601 UTC; what is no such time stays. */
export function momentOfNaive(text: string, zone: string): string {
  const plain = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,6})?)$/.exec(text);
  if (!plain) return text;
  const local = `${plain[1]}T${plain[2]}`;
  if (zone === 'UTC') return `${local}Z`;
  try {
    return Temporal.PlainDateTime.from(local).toZonedDateTime(zone).toInstant().toString();
  } catch {
    return text;
  }
}

/** The other way: the wall clock of `zone` at a moment. */
export function naiveOfMoment(iso: string, zone: string): string {
  if (zone === 'UTC') return iso.replace('T', ' ').replace(/Z$/, '');
  const local = Temporal.Instant.from(iso).toZonedDateTimeISO(zone).toPlainDateTime();
  return local.toString().replace('T', ' ');
}

/** `2026-03-01 10:00:00.12+00` of a session in UTC to ISO 8601; BC and infinity stay as they are. */
export const momentOfUtc = (text: string): string =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?(\+00(:?00)?)?$/.test(text)
    ? `${text.slice(0, 10)}T${text.slice(11).replace(/\+00(:?00)?$/, '')}Z`
    : text;
