import type { ClientMessage, ServerMessage } from '@sluice/contract';
import { websocketPath } from '@sluice/contract/paths';
import { createStore } from './store.ts';

const PING_MS = 30_000;
/** A line that says nothing for so long when it should is dead, though nobody closed it: a laptop slept, a proxy forgot. */
const SILENCE_MS = 10_000;
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** The server ended the session. */
const CLOSE_SESSION_ENDED = 4401;
/** The user may do more or less than before. */
const CLOSE_RIGHTS_CHANGED = 4402;

type HandlerName = ServerMessage['handler'];
type MessageOf<N extends HandlerName> = Extract<ServerMessage, { handler: N }>;

type LiveStatus = 'closed' | 'connecting' | 'open' | 'lost';

/** How long to wait before try number `attempt` (0, 1, …): doubling, with jitter so that not all come at once. */
const retryDelay = (attempt: number, random: number): number => {
  const full = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
  return Math.round(full / 2 + (full / 2) * random);
};

/** The socket of the page: opens on log in, reconnects by itself, hands each message to its handler. */
class LiveSocket {
  readonly status = createStore<LiveStatus>('closed');
  private readonly handlers = new Map<HandlerName, (message: ServerMessage) => void>();
  private readonly reopened = new Set<() => void>();
  private readonly paths = new Map<string, number>();
  private socket: WebSocket | null = null;
  private attempt = 0;
  private timer = 0;
  private ping = 0;
  private silence = 0;
  private wasOpen = false;
  onSessionEnded: () => void = () => undefined;
  onRightsChanged: () => void = () => undefined;
  onUnknown: (text: string) => void = () => undefined;

  /** One handler per name; a second one is a mistake of the program. */
  register<N extends HandlerName>(name: N, handle: (message: MessageOf<N>) => void): () => void {
    if (this.handlers.has(name)) throw new Error(`A handler for ${name} messages is registered already`);
    this.handlers.set(name, handle as (message: ServerMessage) => void);
    return () => this.handlers.delete(name);
  }

  /** Called when the socket is open again after a loss: what was missed has to be fetched. */
  onReopened(listener: () => void): () => void {
    this.reopened.add(listener);
    return () => this.reopened.delete(listener);
  }

  /** Messages about a table come while it is followed: from the one of type `opened` on, all of them. */
  follow(path: string): () => void {
    const count = this.paths.get(path) ?? 0;
    this.paths.set(path, count + 1);
    if (count === 0) this.send({ handler: 'collection', method: 'POST', data: { path } });
    return () => {
      const left = (this.paths.get(path) ?? 1) - 1;
      if (left > 0) this.paths.set(path, left);
      else {
        this.paths.delete(path);
        this.send({ handler: 'collection', method: 'DELETE', data: { path } });
      }
    };
  }

  open(): void {
    if (this.socket) return;
    this.status.set('connecting');
    const socket = new WebSocket(
      `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${websocketPath}`,
    );
    this.socket = socket;
    this.expectLife();
    socket.addEventListener('open', () => {
      if (this.socket !== socket) return;
      clearTimeout(this.silence);
      this.attempt = 0;
      this.status.set('open');
      for (const path of this.paths.keys())
        this.send({ handler: 'collection', method: 'POST', data: { path } });
      this.ping = window.setInterval(() => this.probe(), PING_MS);
      if (this.wasOpen) for (const listener of this.reopened) listener();
      this.wasOpen = true;
    });
    socket.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (this.socket !== socket) return;
      clearTimeout(this.silence);
      this.receive(String(event.data));
    });
    socket.addEventListener('close', ({ code }) => {
      if (this.socket !== socket) return;
      this.forget();
      if (code === CLOSE_SESSION_ENDED) {
        this.status.set('closed');
        this.onSessionEnded();
      } else if (code === CLOSE_RIGHTS_CHANGED) {
        this.onRightsChanged();
        this.open();
      } else this.retryLater();
    });
  }

  close(): void {
    clearTimeout(this.timer);
    this.attempt = 0;
    this.wasOpen = false;
    this.forget()?.close();
    this.status.set('closed');
  }

  /** The machine woke up or has its line back: no need to wait for the next try, or to trust a socket from before. */
  wake(): void {
    if (this.status.get() === 'open') this.probe();
    if (this.status.get() !== 'lost') return;
    clearTimeout(this.timer);
    this.attempt = 0;
    this.open();
  }

  private probe(): void {
    this.expectLife();
    this.socket?.send('ping');
  }

  private expectLife(): void {
    clearTimeout(this.silence);
    this.silence = window.setTimeout(() => {
      // The browser waits for an answer to its own closing, too: this socket is not waited for.
      this.forget()?.close();
      this.retryLater();
    }, SILENCE_MS);
  }

  private forget(): WebSocket | null {
    clearInterval(this.ping);
    clearTimeout(this.silence);
    const { socket } = this;
    this.socket = null;
    return socket;
  }

  private retryLater(): void {
    this.status.set('lost');
    this.timer = window.setTimeout(() => this.open(), retryDelay(this.attempt++, Math.random()));
  }

  private send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private receive(text: string): void {
    if (text === 'pong') return;
    const message = JSON.parse(text) as ServerMessage;
    const handle = this.handlers.get(message.handler);
    if (handle) handle(message);
    else {
      console.error('live message for an unknown handler', message.handler);
      this.onUnknown(message.handler);
    }
  }
}

export const live = new LiveSocket();
