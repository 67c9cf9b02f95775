import { z } from 'zod';

declare global {
  interface JSON {
    /** ECMAScript JSON.parse source text access; not yet in TypeScript's library. */
    rawJSON(text: string): object;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

const run = 16;
const isNumeric = (code: number): boolean => (code >= 48 && code <= 57) || code === 46;

/** Do sixteen digits or points stand in a row? Each such run covers one of every sixteenth place: only those are read. */
function hasLongNumber(text: string): boolean {
  for (let at = run - 1; at < text.length; at += run) {
    if (!isNumeric(text.charCodeAt(at))) continue;
    let from = at;
    while (isNumeric(text.charCodeAt(from - 1))) from -= 1;
    let end = at + 1;
    while (isNumeric(text.charCodeAt(end))) end += 1;
    if (end - from >= run) return true;
  }
  return false;
}

const significant = (source: string): number =>
  source
    .replace(/[eE].*$/, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+/, '').length;

/** Parses JSON; a number of more than 15 digits comes as its text, because a double would change it. */
export function parseJson(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && source !== undefined && significant(source) > 15 ? source : value,
  );
}

/** A JSON object, its values not looked at yet. */
export type Entity = Record<string, unknown>;
export function isEntity(value: unknown): value is Entity {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
const entitySchema = z.custom<Entity>(isEntity, 'a JSON object is expected');

/** `@odata.nextLink` of OData 4.0 or `@nextLink` of 4.01. */
export function control(body: Entity, name: string): string | null {
  const value = body[`@odata.${name}`] ?? body[`@${name}`];
  return typeof value === 'string' ? value : null;
}

export const setSchema = z.looseObject({
  value: z.array(entitySchema),
  '@odata.count': z.coerce.number().optional(),
});

const detailSchema = z.object({
  code: z.coerce.string().catch(''),
  message: z.union([z.string(), z.object({ value: z.string() }).transform((m) => m.value)]).catch(''),
  target: z.string().nullish(),
});
const errorSchema = z.object({
  error: detailSchema.extend({ details: z.array(detailSchema).nullish().catch(null) }),
});

export interface ErrorLine {
  code: string;
  message: string;
  target: string | null;
}

/** The lines of an OData error answer, the details where there are any; null when it is none. */
export function readError(body: unknown): ErrorLine[] | null {
  // Some services leave the envelope out.
  const isBare = isEntity(body) && !('error' in body) && 'message' in body;
  const parsed = errorSchema.safeParse(isBare ? { error: body } : body);
  if (!parsed.success) return null;
  const { details, ...main } = parsed.data.error;
  const lines = details && details.length > 0 ? details : [main];
  return lines.map(({ code, message, target }) => ({
    code,
    message: message || code,
    target: target ?? null,
  }));
}
