import { z } from 'zod';
import type { Api } from './api.ts';

const hints = ['selector', 'menu', 'table', 'push', 'notifications'];

/** Who is new sees hints over the screen; afterwards this user is not new any more. */
export async function skipHints(api: Api): Promise<void> {
  const value = Object.fromEntries(hints.map((hint) => [`onboarding-${hint}`, true]));
  const changes = [{ op: 'replace', path: 'options/tutorial', value }];
  await api.send('PATCH', '/api/v1/user/userprefs', changes, z.unknown());
}
