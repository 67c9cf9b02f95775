import { type ServerMessage, serverMessageSchema } from '@sluice/contract';
import type { Api } from '@sluice/testing';
import { WebSocket } from 'ws';

/** A message of the notification centre, as its reader gets it. */
type Message = Extract<ServerMessage, { handler: 'notificationCentre' }>;

/** Keeps what the notification centre sends to a user from now on, and what he missed in the last day. */
export async function listen(api: Api): Promise<{ messages: Message[]; close(): void }> {
  const socket = new WebSocket(`${api.base.replace('http', 'ws')}/api/v1/user/websocket`, {
    headers: { cookie: api.cookie() },
  });
  const messages: Message[] = [];
  socket.on('message', (data) => {
    const parsed = serverMessageSchema.parse(JSON.parse(String(data)));
    if (parsed.handler === 'notificationCentre') messages.push(parsed);
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { messages, close: () => socket.close() };
}
