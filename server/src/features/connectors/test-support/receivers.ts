import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

interface Receiver {
  port: number;
  close(): void;
}

/** The receiving side of SMTP, as far as one sender needs it (RFC 5321): what it is given is kept as it came. */
export async function startMailServer(mails: string[]): Promise<Receiver> {
  const server = net.createServer((socket) => {
    let text = '';
    let body: string | null = null;
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    say('220 test');
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (body !== null) {
          if (line === '.') {
            mails.push(body);
            body = null;
            say('250 kept');
          } else body += `${line}\n`;
        } else if (/^(EHLO|HELO)/i.test(line)) say('250 test');
        else if (/^DATA/i.test(line)) {
          body = '';
          say('354 go on');
        } else if (/^QUIT/i.test(line)) {
          say('221 bye');
          socket.end();
        } else say('250 ok');
      }
    });
  });
  return await listening(server);
}

/** Keeps the JSON that is posted to it. */
export async function startWebhook(bodies: unknown[]): Promise<Receiver> {
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    request.on('end', () => {
      bodies.push(JSON.parse(text));
      response.writeHead(204).end();
    });
  });
  return await listening(server);
}

async function listening(server: net.Server): Promise<Receiver> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
