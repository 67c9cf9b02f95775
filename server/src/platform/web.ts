import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Locale } from '@sluice/contract';
import { paths } from '@sluice/contract/paths';
import { z } from 'zod';
import { fromUtc } from '@sluice/mapping';
import type { Log } from './log.ts';
import { localeOf } from './texts.ts';

const webFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../web/dist');
/** The page goes without answers when they take longer (ms). */
const patienceMs = 1000;

const languageSchema = z.object({ userPreferences: z.object({ language: z.enum(['EN', 'NL']) }) });
const filesSchema = z.object({ EN: z.array(z.string()), NL: z.array(z.string()) });
const firstFilesSchema = z.object({ login: filesSchema, inside: filesSchema, dashboard: filesSchema });

/** The built web: files by name, and the page itself for every route of the browser. */
export async function serveWeb(
  http: FastifyInstance,
  { ready, log, timeZone }: { ready: Promise<void>; log: Log; timeZone: string },
): Promise<void> {
  fs.mkdirSync(webFolder, { recursive: true });
  await http.register(fastifyStatic, {
    root: path.join(webFolder, 'assets'),
    prefix: '/assets/',
    immutable: true,
    maxAge: '365d',
    wildcard: true,
    decorateReply: true,
    // Built by web-build.ts.
    preCompressed: true,
  });
  const page = createPage();
  http.get('/*', async (request, reply) => {
    if (request.url.startsWith('/api/')) return reply.callNotFound();
    await ready;
    const name = decodeURIComponent(request.url.split('?')[0] ?? '/').slice(1);
    const isFile = name !== '' && !name.includes('/') && fs.existsSync(path.join(webFolder, name));
    if (isFile && name !== 'index.html')
      return await reply.header('cache-control', 'no-cache').sendFile(name, webFolder);
    if (!fs.existsSync(path.join(webFolder, 'index.html'))) return reply.callNotFound();
    const isDashboard = /^(dashboard\/?)?$/.test(name);
    const known = await Promise.race([
      firstAnswers(http, request, isDashboard ? timeZone : null).catch((error: unknown) => {
        log.warn('A page went without first answers', { error });
        return null;
      }),
      silence(),
    ]);
    // Answers are one person's, of one moment.
    return await reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page(known, isDashboard));
  });
}

/** What is known of who asks for a page: nothing where the answers took too long. */
interface Known {
  answers: readonly string[];
  isInside: boolean;
  language: Locale;
}

const silence = async (): Promise<Known | null> =>
  await new Promise((resolve) => setTimeout(() => resolve(null), patienceMs).unref());

/** The built page with answers in it, and with the names of the files that it will ask for. */
function createPage(): (known: Known | null, isDashboard: boolean) => string {
  const file = path.join(webFolder, 'index.html');
  let built: { at: number; html: string; files: z.infer<typeof firstFilesSchema> } | null = null;
  return (known, isDashboard) => {
    const at = fs.statSync(file).mtimeMs;
    if (at !== built?.at) {
      const names = fs.readFileSync(path.join(webFolder, 'first-files.json'), 'utf8');
      built = {
        at,
        html: fs.readFileSync(file, 'utf8'),
        files: firstFilesSchema.parse(JSON.parse(names)),
      };
    }
    const { html, files } = built;
    if (!known) return html;
    const pages = known.isInside ? [files.inside, ...(isDashboard ? [files.dashboard] : [])] : [files.login];
    const links = [...new Set(pages.flatMap((names) => names[known.language]))].map((name) =>
      name.endsWith('.css')
        ? `<link rel="stylesheet" crossorigin href="${name}">`
        : `<link rel="modulepreload" crossorigin href="${name}">`,
    );
    // A text within them must not end the script.
    const json = `[${known.answers.join(',')}]`.replaceAll('<', String.raw`\u003c`);
    const data = `<script type="application/json" id="first-answers">${json}</script>`;
    return html.replace('</head>', () => `${links.join('')}${data}</head>`);
  };
}

/**
 * What every page asks before it can show anything comes with it: who is logged in, and either the external systems or
 * the ways to sign in; with the dashboard (`zone` not null: where its day ends) what it shows first. Each answer as JSON
 * `{url, status, headers, body}`; web/src/platform/first-answers.ts takes them.
 */
async function firstAnswers(
  http: FastifyInstance,
  request: FastifyRequest,
  zone: string | null,
): Promise<Known | null> {
  const { cookie, 'accept-language': browsers } = request.headers;
  const ask = async (url: string, language: string | undefined) => {
    const headers = {
      ...(cookie === undefined ? {} : { cookie }),
      ...(language === undefined ? {} : { 'accept-language': language }),
    };
    const answer = await http.inject({ url, headers, remoteAddress: request.ip });
    const kept = JSON.stringify({
      date: answer.headers.date,
      'x-session-expires-at': answer.headers['x-session-expires-at'],
    });
    const text = `{"url":${JSON.stringify(url)},"status":${answer.statusCode},"headers":${kept},"body":${answer.body}}`;
    return { answer, text };
  };
  const session = await ask(paths.getSession[1], browsers);
  const { statusCode } = session.answer;
  const isInside = statusCode === 200;
  if (!isInside && statusCode !== 401) return null;
  const language = isInside
    ? languageSchema.parse(session.answer.json()).userPreferences.language
    : localeOf(browsers);
  // Addresses as the web asks them, letter by letter.
  const urls = [isInside ? `${paths.getExternalSystems[1]}?limit=-1&offset=0` : paths.getProviders[1]];
  if (isInside && zone !== null) {
    const today = fromUtc(new Date().toISOString(), zone)?.date ?? '';
    urls.push(`${paths.getDashboard[1]}?dateFrom=${today}&dateTo=${today}`);
  }
  const others = await Promise.all(urls.map(async (url) => await ask(url, language)));
  const good = others.filter(({ answer }) => answer.statusCode === 200);
  return {
    answers: [session, ...good].map(({ text }) => text),
    isInside,
    language,
  };
}
