import { z } from 'zod';

export const nameSchema = z.string().trim().min(1).max(200);
export const connectorParams = z.object({ connectorId: z.uuid() });
export const actionParams = connectorParams.extend({ actionId: z.uuid() });
export const runParams = actionParams.extend({ runId: z.uuid() });
