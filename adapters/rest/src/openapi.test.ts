import { describe, expect, it } from 'vitest';
import { profileFromOpenApi } from './openapi.ts';
import { readProfile } from './profile.ts';

const document = {
  openapi: '3.0.3',
  info: { title: 'Shop' },
  servers: [{ url: 'https://shop.example.com/api' }],
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    schemas: {
      Order: {
        allOf: [
          {
            type: 'object',
            required: ['number'],
            properties: { id: { type: 'string', format: 'uuid', readOnly: true } },
          },
          {
            properties: {
              number: { type: 'string', maxLength: 20 },
              state: { type: 'string', enum: ['new', 'paid'] },
              placed: { type: 'string', format: 'date-time' },
              address: { type: 'object', properties: { city: { type: 'string' } } },
              parent: { $ref: '#/components/schemas/Order' },
            },
          },
        ],
      },
    },
  },
  paths: {
    '/orders': {
      get: {
        parameters: [
          { name: 'page', in: 'query' },
          { name: 'per_page', in: 'query' },
        ],
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    items: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
                    total: { type: 'integer' },
                  },
                },
              },
            },
          },
        },
      },
      post: {},
    },
    '/orders/{orderId}': { get: {}, put: {}, delete: {} },
    '/logs': {
      get: {
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  type: 'array',
                  items: { type: 'object', properties: { text: { type: 'string' } } },
                },
              },
            },
          },
        },
      },
    },
    '/health': { get: { responses: { 200: { description: 'ok' } } } },
  },
};

describe('a profile from an OpenAPI document', () => {
  it('guesses collections, keys, fields and paging, and is itself a profile that fits', () => {
    const draft = profileFromOpenApi(JSON.stringify(document), 'EN');
    if ('problem' in draft) throw new Error(draft.problem);
    const { profile, problem } = readProfile(draft.value, 'EN');
    expect(problem).toBeNull();
    expect(profile?.collections.map(({ code }) => code)).toEqual(['orders', 'logs']);
    expect(profile?.collections[0]).toMatchObject({
      keyFields: ['id'],
      records: 'items',
      total: 'total',
      paging: { kind: 'page', parameter: 'page', sizeParameter: 'per_page' },
      one: { path: 'orders/{key}' },
      update: { method: 'PUT', path: 'orders/{key}', body: 'whole' },
      delete: { path: 'orders/{key}' },
    });
    const fields = Object.fromEntries(
      (profile?.collections[0]?.fields ?? []).map((field) => [field.id, field]),
    );
    expect(fields).toMatchObject({
      id: { type: 'uuid', isReadOnly: true },
      number: { type: 'string', isMandatory: true, maxLength: 20 },
      state: { options: ['new', 'paid'] },
      placed: { type: 'datetime' },
      'address.city': { type: 'string' },
    });
  });

  it('says what it could not guess, in both languages', () => {
    const draft = profileFromOpenApi(JSON.stringify(document), 'EN');
    if ('problem' in draft) throw new Error(draft.problem);
    const text = draft.notes.join('\n');
    expect(text).toContain('logs: the key could not be guessed');
    expect(text).toContain('logs: no way of paging found');
    expect(text).toContain('https://shop.example.com/api');
    expect(text).toContain('apiKey header');
    const dutch = profileFromOpenApi(JSON.stringify(document), 'NL');
    expect('notes' in dutch && dutch.notes.join('\n')).toContain('logs: de sleutel was niet te raden');
  });

  it('says why no profile can be made', () => {
    expect(profileFromOpenApi('openapi: 3.0.0', 'EN')).toMatchObject({
      problem: expect.stringContaining('no JSON'),
    });
    expect(profileFromOpenApi('{"swagger":"2.0"}', 'EN')).toMatchObject({
      problem: expect.stringContaining('OpenAPI 3'),
    });
    expect(profileFromOpenApi('{"openapi":"3.1.0","paths":{}}', 'EN')).toMatchObject({
      problem: expect.stringContaining('No path'),
    });
  });
});
