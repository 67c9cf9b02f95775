import type { Value } from '@sluice/contract';
import { textOf } from '../convert.ts';
import { crc32, hexOf, md5, sha256, uuidV5 } from '../digest.ts';
import {
  anyOrList,
  define as entry,
  example,
  mapValue,
  parameter,
  t,
  textTypes,
  type ColumnFunction,
  type FunctionEntry,
  type Step,
} from './define.ts';
import { escapeHtml, unescapeHtml } from './html.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('encoding', definition);

/** Text as it is, byte for byte: nothing is composed before it is encoded. */
export const mapRaw = (compute: (text: string, row: number, step: Step) => Value): ColumnFunction =>
  mapValue((value, row, step) =>
    typeof value === 'string' ? compute(value, row, step) : step.fail(row, 'notText'),
  );

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

function decoded(bytes: () => Uint8Array): string | null {
  try {
    return strictUtf8.decode(bytes());
  } catch {
    return null;
  }
}

/** `a.b[0].c`, with an optional `$.` in front; undefined where there is nothing. */
function atPath(value: unknown, path: string): unknown {
  let current: unknown = value;
  for (const [, name, index] of path.replace(/^\$\.?/, '').matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (index !== undefined) current = Array.isArray(current) ? current[Number(index)] : undefined;
    else if (typeof current === 'object' && current !== null && !Array.isArray(current))
      current = Object.hasOwn(current, name ?? '')
        ? (current as Record<string, unknown>)[name ?? '']
        : undefined;
    else return undefined;
  }
  return current;
}

const oneWay = (
  id: string,
  label: FunctionEntry['label'],
  help: FunctionEntry['help'],
  shown: [string, string][],
  compute: (text: string) => string | null,
  canFail = false,
): FunctionEntry =>
  define({
    id,
    label,
    help,
    in: textTypes,
    out: 'string',
    canFail,
    examples: shown.map(([input, output]) => example(input, {}, output)),
    apply: () => mapRaw((text, row, step) => compute(text) ?? step.fail(row, 'notDecodable')),
  });

export const encodingFunctions: readonly FunctionEntry[] = [
  oneWay(
    'base64Encode',
    t('Encode base64', 'Coderen als base64'),
    t('The text (UTF-8) as base64.', 'De tekst (UTF-8) als base64.'),
    [
      ['a', 'YQ=='],
      ['é', 'w6k='],
    ],
    (text) => toBase64(utf8.encode(text)),
  ),
  oneWay(
    'base64Decode',
    t('Decode base64', 'Base64 decoderen'),
    t('The text (UTF-8) that base64 stands for.', 'De tekst (UTF-8) waar base64 voor staat.'),
    [
      ['YQ==', 'a'],
      ['w6k', 'é'],
    ],
    (text) =>
      decoded(() =>
        Uint8Array.from(atob(text.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/')), (unit) =>
          unit.charCodeAt(0),
        ),
      ),
    true,
  ),
  oneWay(
    'hexEncode',
    t('Encode hexadecimal', 'Coderen als hexadecimaal'),
    t('The bytes of the text (UTF-8) in hexadecimal.', 'De bytes van de tekst (UTF-8) hexadecimaal.'),
    [
      ['a', '61'],
      ['é', 'c3a9'],
    ],
    (text) => hexOf(utf8.encode(text)),
  ),
  oneWay(
    'hexDecode',
    t('Decode hexadecimal', 'Hexadecimaal decoderen'),
    t('The text (UTF-8) of hexadecimal bytes.', 'De tekst (UTF-8) van hexadecimale bytes.'),
    [
      ['61', 'a'],
      ['C3A9', 'é'],
    ],
    (text) =>
      /^([0-9a-f]{2})+$/i.test(text.trim())
        ? decoded(() => Uint8Array.from(text.trim().match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))
        : null,
    true,
  ),
  oneWay(
    'urlEncode',
    t('Encode for addresses', 'Coderen voor adressen'),
    t('The text as part of a web address.', 'De tekst als deel van een webadres.'),
    [
      ['a b&c', 'a%20b%26c'],
      ['é', '%C3%A9'],
    ],
    (text) => encodeURIComponent(text.toWellFormed()),
  ),
  oneWay(
    'urlDecode',
    t('Decode from addresses', 'Decoderen uit adressen'),
    t('The text of a part of a web address.', 'De tekst van een deel van een webadres.'),
    [
      ['a%20b', 'a b'],
      ['a+b', 'a b'],
    ],
    (text) => {
      try {
        return decodeURIComponent(text.replaceAll('+', ' '));
      } catch {
        return null;
      }
    },
    true,
  ),
  oneWay(
    'htmlEscape',
    t('Escape for HTML', 'Geschikt maken voor HTML'),
    t('Signs that mean something in HTML as entities.', 'Tekens die in HTML iets betekenen als entiteiten.'),
    [
      ['a < b', 'a &lt; b'],
      ['"x"', '&quot;x&quot;'],
    ],
    escapeHtml,
  ),
  oneWay(
    'htmlUnescape',
    t('Unescape HTML', 'HTML-entiteiten lezen'),
    t('Entities as the signs that they stand for.', 'Entiteiten als de tekens waar ze voor staan.'),
    [
      ['a &lt; b', 'a < b'],
      ['&#233;&euml;', 'éë'],
    ],
    unescapeHtml,
  ),
  define({
    id: 'jsonParse',
    label: t('Read JSON', 'JSON lezen'),
    help: t(
      'A value out of a JSON text, at a path like lines[0].name; empty where there is nothing.',
      'Een waarde uit een JSON-tekst, op een pad zoals lines[0].name; leeg als er niets is.',
    ),
    in: [...textTypes, 'any[]'],
    out: 'any',
    canFail: true,
    parameters: [parameter('path', 'string', t('Path', 'Pad'), { default: '' })],
    examples: [example('{"a":[{"b":5}]}', { path: 'a[0].b' }, 5), example('["x","y"]', {}, ['x', 'y'])],
    apply: (args) => {
      const path = args.text('path');
      return mapValue((value, row, step) => {
        let parsed: unknown = value;
        if (typeof value === 'string') {
          try {
            parsed = JSON.parse(value);
          } catch {
            return step.fail(row, 'notJson');
          }
        }
        return (atPath(parsed, path) ?? null) as Value;
      });
    },
  }),
  define({
    id: 'jsonStringify',
    label: t('Write JSON', 'JSON schrijven'),
    help: t('The value as JSON text.', 'De waarde als JSON-tekst.'),
    in: anyOrList,
    out: 'string',
    examples: [example(['a', 1], {}, '["a",1]'), example('x', {}, '"x"')],
    apply: () => mapValue((value) => JSON.stringify(value)),
  }),
  define({
    id: 'hash',
    label: t('Digest', 'Hash'),
    help: t(
      'A digest of the text (UTF-8) in hexadecimal, to compare values with.',
      'Een hash van de tekst (UTF-8), hexadecimaal, om waarden mee te vergelijken.',
    ),
    in: anyOrList,
    out: 'string',
    parameters: [
      parameter('algorithm', 'string', t('Algorithm', 'Algoritme'), {
        default: 'sha256',
        options: [
          ['sha256', t('SHA-256', 'SHA-256')],
          ['md5', t('MD5', 'MD5')],
          ['crc32', t('CRC-32', 'CRC-32')],
        ],
      }),
    ],
    examples: [
      example('a', { algorithm: 'md5' }, '0cc175b9c0f1b6a831c399e269772661'),
      example('123456789', { algorithm: 'crc32' }, 'cbf43926'),
    ],
    apply: (args) => {
      const digest = { sha256, md5, crc32 }[args.text('algorithm')] ?? sha256;
      return mapValue((value) => hexOf(digest(utf8.encode(textOf(value) ?? ''))));
    },
  }),
  define({
    id: 'uuidV5',
    label: t('UUID from a key', 'UUID uit een sleutel'),
    help: t(
      'The same text always gives the same UUID (version 5).',
      'Dezelfde tekst geeft altijd dezelfde UUID (versie 5).',
    ),
    in: anyOrList,
    out: 'uuid',
    parameters: [
      parameter('namespace', 'uuid', t('Namespace', 'Naamruimte'), {
        default: '6ba7b812-9dad-11d1-80b4-00c04fd430c8',
      }),
    ],
    examples: [
      example(
        'www.example.com',
        { namespace: '6ba7b810-9dad-11d1-80b4-00c04fd430c8' },
        '2ed6657d-e927-568b-95e1-2665a8aea6a2',
      ),
      example('', {}, null),
    ],
    apply: (args) => {
      const namespace = args.text('namespace');
      return mapValue((value) => uuidV5(namespace, textOf(value) ?? ''));
    },
  }),
];
