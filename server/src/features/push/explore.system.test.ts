import type { Session, WriteOp } from '@sluice/adapter-kit';
import { startTryton } from '@sluice/testing/tryton';
import { it } from 'vitest';
import {
  callOptions,
  configOf,
  openSession,
  openTarget,
} from '../../../../adapters/tryton/src/test-support.ts';
it('x', async () => {
  const server = await startTryton();
  const { session } = openSession(configOf(server));
  const t = await openTarget(session, 'party.party', callOptions(server.companies[0]));
  console.log(
    t.fields
      .filter((f) => !f.isReadOnly)
      .map(
        (f) =>
          `${f.id} ${f.kind} ${f.dataType} ${f.options?.length ?? ''} ${f.reference?.resourceTypeUriId ?? ''}`,
      )
      .join('\n'),
  );
  const tries: Record<string, any>[] = [
    { contact_mechanisms: [{ type: 'email', value: 'no mail' }] },
    { contact_mechanisms: [{ type: 'phone', value: 'abc' }] },
    { supplier_payment_term: 987654 },
    { customer_payment_term: 987654 },
    { account_payable: 1 },
    { account_receivable: 987654 },
    { lang: 987654 },
    { identifiers: [{ type: 'eu_vat', code: 'NOT-A-VAT' }] },
    { name: 'a\u0000b' },
    { name: 'a\nb' },
    { customer_code: 'x' },
    { code: 'a b\n' },
    { active: null },
    { addresses: [{ city: 'Delft', invoice_x: true }] },
    { distance: 4 },
  ];
  for (const values of tries) {
    const [o] = await t.session.write({
      ...t.options,
      collection: 'party.party',
      fields: t.fields,
      ops: [{ opId: 'o', action: 'insert', values: { name: 'X', ...values } }],
    });
    console.log(JSON.stringify(values), JSON.stringify(o));
  }
  await session.close();
  await server.stop();
});
