import type { Endpoint } from '@sluice/contract';
import { z } from 'zod';

/** OpenAPI 3.1 of all registered endpoints, out of the same schemas that check the calls. */
export function openApi(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const [method, path] = endpoint.route;
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = operation(endpoint, path);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      description:
        'Calls need the cookie of POST /api/v1/auth/login; writing calls also the header x-csrf-token with the value of the cookie csrf-token.',
    },
    paths,
    components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'sluice-session' } } },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same call again within a day is answered alike and does nothing',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function operation(endpoint: Endpoint, path: string): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const query = endpoint.query ? jsonSchema(endpoint.query, 'input') : { properties: {} };
  const properties = (query as { properties?: Record<string, object> }).properties ?? {};
  return {
    summary: endpoint.summary,
    ...(endpoint.access === 'user' ? { security: [{ session: [] }] } : {}),
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
      ...(endpoint.isOnce ? [idempotencyKey] : []),
    ],
    ...(endpoint.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(endpoint.body, 'input') } },
          },
        }
      : {}),
    responses: {
      ...(endpoint.reply
        ? {
            200: {
              description: 'The answer',
              content: endpoint.mediaType
                ? { [endpoint.mediaType]: { schema: { type: 'string', format: 'binary' } } }
                : { 'application/json': { schema: jsonSchema(endpoint.reply, 'output') } },
            },
          }
        : { 204: { description: 'Done' } }),
      default: {
        description: `An error: {code, message, statusCode, requestId, …}. Codes of this call: ${(endpoint.errors ?? []).join(', ') || 'the general ones'}.`,
      },
    },
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
}
