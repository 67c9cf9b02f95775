import { z } from 'zod';
import { parseCollection, parseErrors } from './parse-profile.ts';
import type { ParseServer } from './parse-server.ts';

/** A value that the sandbox's own suppliers do not have: by it the ones that came from the service are found. */
export const shopCredit = 7.77;
export const shopAccount = (n: number): string => `NL91ABNA${String(9600 + n).padStart(10, '0')}`;
export const shopName = (n: number): string => `Café ${n} “O'Brien” 😀`;
/** The customer without a city. */
export const cityless = 7;

const everybody = { '*': true };
const schema = {
  fields: {
    number: { type: 'String', required: true },
    category: { type: 'String', required: true },
    name: { type: 'String' },
    credit: { type: 'Number' },
    isActive: { type: 'Boolean' },
    address: { type: 'Object' },
    tags: { type: 'Array' },
  },
  classLevelPermissions: {
    find: everybody,
    get: everybody,
    count: everybody,
    create: everybody,
    update: everybody,
    delete: everybody,
  },
};

/**
 * Customers to be read, contacts to be written. The service asks for a category, which the profile does not say of
 * contacts: only the service can refuse.
 */
export const shopProfile = (pageSize: number) => {
  const contact = parseCollection('Contact');
  const fields = contact.fields.map((field) =>
    field.id === 'category' ? { ...field, isMandatory: false } : field,
  );
  return {
    limits: { pageSize },
    errors: parseErrors,
    collections: [parseCollection('Customer'), { ...contact, fields }],
  };
};

const perCall = 20;

/** Makes both classes, and customers 1 to `count` (a multiple of 20) with names that begin with a space. */
export async function fillShop(server: ParseServer, count: number): Promise<void> {
  for (const className of ['Customer', 'Contact'])
    await server.call('POST', `schemas/${className}`, { className, ...schema });
  for (let from = 1; from <= count; from += perCall)
    await server.call('POST', 'batch', {
      requests: Array.from({ length: perCall }, (_, i) => from + i).map((n) => ({
        method: 'POST',
        path: '/parse/classes/Customer',
        body: {
          number: shopAccount(n),
          category: 'retail',
          name: ` ${shopName(n)}`,
          credit: shopCredit,
          isActive: n % 2 === 0,
          address: n === cityless ? { country: 'NL' } : { city: 'Zwolle', country: 'NL' },
        },
      })),
    });
}

const objectsSchema = z.object({
  results: z.array(
    z.looseObject({
      objectId: z.string(),
      number: z.string(),
      name: z.string().optional(),
      category: z.string().optional(),
      credit: z.number().optional(),
      isActive: z.boolean().optional(),
    }),
  ),
});

/** Objects of a class by their numbers, asked of the service itself. */
export async function shopObjects({ call }: ParseServer, className: string, where: object = {}) {
  const condition = encodeURIComponent(JSON.stringify(where));
  const answer = await call('GET', `classes/${className}?limit=1000&order=number&where=${condition}`);
  return objectsSchema.parse(answer).results;
}
