import type { IncomingMessage } from 'node:http';
import {
  clientMessageSchema,
  closeCodes,
  type CollectionMessage,
  type ServerMessage,
} from '@sluice/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { UserActor } from '../../platform/actor.ts';
import type { Bus } from '../../platform/bus.ts';
import { AppError } from '../../platform/errors.ts';
import type { LiveEvent } from '../../platform/mutate.ts';
import {
  type DashboardServices,
  jobIdOfNotification,
  liveClientError,
  liveJob,
} from '../dashboard/service.ts';
import { countVisit } from '../dashboard/store.ts';
import { findNotification, recentNotifications } from '../notifications/service.ts';
import { countPending } from '../pending/listing.ts';
import { groupOperations } from '../pending/wire.ts';
import { modelOf, openCollection } from '../records/context.ts';
import { operationsOf, readRows, type RecordServices, resourceOf } from '../records/service.ts';
import type {} from '@fastify/websocket';

export interface LiveServices extends RecordServices, DashboardServices {
  bus: Bus;
  log: { warn(message: string, fields?: Record<string, unknown>): void };
  authenticate(request: FastifyRequest): Promise<UserActor | null>;
  /** Own origins; null = the request's own host. */
  publicUrl: string | null;
}

interface Client {
  socket: WebSocket;
  actor: UserActor;
  /** Collections that this client has open: id -> table id. */
  tables: Map<number, string>;
}

/** A client that cannot keep up is cut off: it reconnects and reads everything anew. */
const maxBuffered = 8 * 2 ** 20;

/** One socket per tab. What happens anywhere comes in as ids over the bus and goes out as messages to whom it concerns. */
export function liveRoutes(app: FastifyInstance, path: string, services: LiveServices): void {
  const clients = new Set<Client>();

  // Everybody reads anew what he has open: messages were missed.
  const reload = (): void => {
    for (const client of clients) client.socket.close(1012, 'reload');
  };
  const inOrder = createOrder((error, key) => {
    services.log.warn('A live message failed', { error, topic: key.split(' ', 1)[0] });
    reload();
  });
  services.bus.subscribe((event) =>
    inOrder(keyOf(event), async () => await deliver(services, clients, event, inOrder)),
  );
  services.bus.onGap(reload);

  // Known before the socket opens: from its first moment on nothing is missed.
  const actors = new WeakMap<FastifyRequest, UserActor | null>();
  const preValidation = async (request: FastifyRequest): Promise<void> => {
    actors.set(request, await services.authenticate(request));
  };
  app.get(path, { websocket: true, preValidation }, (socket, request) => {
    accept(services, clients, socket, request, actors.get(request) ?? null).catch((error: unknown) => {
      services.log.warn('A socket failed', { error });
      socket.close(1011, 'failed');
    });
  });
  app.addHook('preClose', async () => {
    for (const client of clients) client.socket.close(1001, 'The server is stopping');
  });
}

async function accept(
  services: LiveServices,
  clients: Set<Client>,
  socket: WebSocket,
  request: FastifyRequest,
  actor: UserActor | null,
): Promise<void> {
  if (!isOwnOrigin(request.raw, services.publicUrl)) {
    socket.close(closeCodes.wrongOrigin, 'wrong origin');
    return;
  }
  if (!actor) {
    socket.close(closeCodes.sessionEnded, 'no session');
    return;
  }
  const client: Client = { socket, actor, tables: new Map() };
  clients.add(client);
  socket.on('close', () => clients.delete(client));
  socket.on('error', () => clients.delete(client));
  // One after the other: who leaves a table and opens it again has it open.
  let last = Promise.resolve();
  socket.on('message', (data) => {
    const text = String(data);
    if (text === 'ping') {
      socket.send('pong');
      return;
    }
    last = last
      .then(async () => await receive(services, client, text))
      .catch((error: unknown) => {
        services.log.warn('A socket message failed', { error });
        // A table that could not be opened is opened by the next socket.
        socket.close(1011, 'failed');
      });
  });
  for (const notification of await recentNotifications(services.pool, actor.userId, actor.locale)) {
    send(client, {
      handler: 'notificationCentre',
      type: 'notification',
      method: 'POST',
      data: { ...notification, isHidden: isOld(notification) },
    });
  }
}

/** What was missed while away is listed in the panel, but does not pop up again. */
function isOld(notification: { type: { kind: string; total?: number; current?: number } }): boolean {
  const { type } = notification;
  return type.kind === 'standard' || (type.current ?? 0) >= (type.total ?? 0);
}

function isOwnOrigin(request: IncomingMessage, publicUrl: string | null): boolean {
  const { origin, host } = request.headers;
  // Programs send no Origin; browsers always do.
  if (!origin) return true;
  if (!URL.canParse(origin)) return false;
  return new URL(origin).host === host || (publicUrl !== null && new URL(publicUrl).origin === origin);
}

async function receive(services: LiveServices, client: Client, text: string): Promise<void> {
  const parsed = clientMessageSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    client.socket.send(
      JSON.stringify({
        handler: 'error',
        type: 'error',
        method: 'POST',
        data: { message: 'The message cannot be read' },
      }),
    );
    return;
  }
  const { method, data } = parsed.data;
  try {
    const { model, tableId } = await openCollection(services, client.actor, data.path);
    if (method === 'POST') {
      client.tables.set(model.collectionId, tableId);
      send(client, { handler: 'collection', type: 'opened', method: 'POST', data: { tableId } });
      await countVisit(services.pool, client.actor.userId, model.collectionId);
    } else client.tables.delete(model.collectionId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(client: Client, message: ServerMessage): void {
  if (client.socket.bufferedAmount > maxBuffered) {
    client.socket.close(1013, 'too slow');
    return;
  }
  client.socket.send(JSON.stringify(message));
}

/** Runs what has the same key one after the other, and the rest side by side. */
type InOrder = (key: string, work: () => Promise<void>) => void;

/**
 * A message tells what is there when it is made. Two about the same thing must not overtake each other: the older one,
 * coming last, would stay on the screen.
 */
function createOrder(onError: (error: unknown, key: string) => void): InOrder {
  const last = new Map<string, Promise<void>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const now: Promise<void> = before
      .then(work)
      .catch((error: unknown) => onError(error, key))
      .finally(() => {
        if (last.get(key) === now) last.delete(key);
      });
    last.set(key, now);
  };
}

/** The topic, and what of it the event is about. */
function keyOf(event: LiveEvent): string {
  switch (event.topic) {
    case 'collection':
      return `collection ${event.collectionId}`;
    case 'notification':
    case 'progress':
      return `notification ${event.notificationId}`;
    case 'job':
      return jobKey(event.id);
    default:
      return event.topic;
  }
}

const jobKey = (id: string): string => `job ${id}`;

async function deliver(
  services: LiveServices,
  clients: ReadonlySet<Client>,
  event: LiveEvent,
  inOrder: InOrder,
): Promise<void> {
  switch (event.topic) {
    case 'collection':
      await deliverCollection(services, clients, event);
      return;
    case 'notification':
      for (const client of clients) {
        if (client.actor.userId !== event.userId) continue;
        const notification = await findNotification(services.pool, event.notificationId, client.actor.locale);
        if (notification)
          send(client, {
            handler: 'notificationCentre',
            type: 'notification',
            method: event.isNew ? 'POST' : 'PATCH',
            data: notification,
          });
      }
      return;
    case 'progress':
      for (const client of clients) {
        if (client.actor.userId !== event.userId) continue;
        const data = { parentMessageId: event.notificationId, current: event.current };
        send(client, { handler: 'notificationCentre', type: 'progress', method: 'PATCH', data });
      }
      await deliverProgress(services, clients, event.notificationId, inOrder);
      return;
    case 'job':
      await deliverJob(services, clients, event.id, event.isNew ? 'POST' : 'PATCH');
      return;
    case 'clientError':
      for (const client of clients) {
        const error = await liveClientError(services, client.actor, event.id);
        if (error) send(client, { handler: 'dashboard', type: 'error', method: 'POST', data: error });
      }
      return;
    case 'session':
      for (const client of clients) {
        if (event.sessionIds.includes(client.actor.sessionId))
          client.socket.close(closeCodes.sessionEnded, 'logged out');
      }
      return;
    case 'rights':
      // A socket sees with the rights that it was opened with: the next one has those of now.
      for (const client of clients) {
        if (event.userIds.includes(client.actor.userId))
          client.socket.close(closeCodes.rightsChanged, 'rights changed');
      }
      return;
    case 'push':
    case 'systems':
    case 'domain':
  }
}

/** Job and error as each reader may see it, in his language; who may not gets nothing. */
async function deliverJob(
  services: LiveServices,
  clients: ReadonlySet<Client>,
  id: string,
  method: 'POST' | 'PATCH',
): Promise<void> {
  for (const client of clients) {
    const found = await liveJob(services, client.actor, id);
    if (!found) continue;
    const { type, job, error } = found;
    if (type !== null) send(client, { handler: 'dashboard', type, method, data: job });
    if (error) send(client, { handler: 'dashboard', type: 'error', method: 'POST', data: error });
  }
}

/** Progress comes with every batch of a push: the dashboards hear of it twice a second at most. */
const progressMs = 500;
const toldAt = new Map<string, number>();

async function deliverProgress(
  services: LiveServices,
  clients: ReadonlySet<Client>,
  notificationId: string,
  inOrder: InOrder,
): Promise<void> {
  const now = Date.now();
  if (clients.size === 0 || now - (toldAt.get(notificationId) ?? 0) < progressMs) return;
  for (const [id, at] of toldAt) if (now - at > 60_000) toldAt.delete(id);
  toldAt.set(notificationId, now);
  const id = await jobIdOfNotification(services.pool, notificationId);
  if (id !== null) inOrder(jobKey(id), async () => await deliverJob(services, clients, id, 'PATCH'));
}

async function deliverCollection(
  services: LiveServices,
  clients: ReadonlySet<Client>,
  event: Extract<LiveEvent, { topic: 'collection' }>,
): Promise<void> {
  const interested = [...clients].filter((client) => client.tables.has(event.collectionId));
  if (interested.length === 0) return;
  const model = await modelOf(services.pool, event.collectionId);
  const records = event.isReloadNeeded ? [] : await readRows(services.pool, model, event.rids);
  const present = records.filter((record) => record !== null);
  const removed = [...event.removed, ...event.rids.filter((_, index) => records[index] === null)];
  const resources = present.map((record) => resourceOf(model, record));
  for (const client of interested) {
    const { operations } = await operationsOf(services.pool, model, client.actor, present);
    const withOperation = new Set(operations.map(({ id }) => id));
    const data: CollectionMessage['data'] = {
      tableId: client.tables.get(event.collectionId) ?? '',
      resources,
      pendingOperations: groupOperations(operations),
      clearedIds: present.map(({ rid }) => String(rid)).filter((id) => !withOperation.has(id)),
      removedIds: event.isReloadNeeded ? [] : removed.map(String),
      counts: await countPending(services.pool, model, client.actor.userId),
      isReloadNeeded: event.isReloadNeeded,
      cacheRefreshedAt: event.refreshedAt,
      newRecords: event.newRecords ?? 0,
    };
    send(client, { handler: 'collection', type: 'changed', method: 'PATCH', data });
  }
}
