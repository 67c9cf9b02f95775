import { expect, it } from 'vitest';
import { requireUser } from './session.ts';

it('[ERR-23] what needs a user says that there is none', () => {
  expect(() => requireUser()).toThrow(
    expect.objectContaining({ code: 'NULL_STATE', message: 'state.value is not set' }),
  );
});
