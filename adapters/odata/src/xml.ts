import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';

/** An XML element without namespace prefixes. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

const attributesKey = ':@';
const nodeSchema = z.record(z.string(), z.unknown());
const listSchema = z.array(nodeSchema);
const attributesSchema = z.record(z.string(), z.coerce.string());

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
});

function convert(nodes: unknown): Element[] {
  return listSchema.parse(nodes).flatMap((node): Element[] => {
    const name = Object.keys(node).find((key) => key !== attributesKey);
    if (name === undefined || name === '#text') return [];
    const inner = listSchema.parse(node[name]);
    return [
      {
        name,
        attributes: attributesSchema.parse(node[attributesKey] ?? {}),
        children: convert(inner),
        text: inner.map((part) => (typeof part['#text'] === 'string' ? part['#text'] : '')).join(''),
      },
    ];
  });
}

/** Throws when the text is not well-formed XML. */
export function parseXml(text: string): Element[] {
  return convert(parser.parse(text, true));
}
