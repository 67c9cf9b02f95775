import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRows, decoded, FileFault } from './csv.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function rowsOf(text: string, delimiter = ';', size = 7): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const found of csvRows(pieces(text, size), delimiter))
    rows.push(...found.map(({ cells }) => cells));
  return rows;
}

const faultOf = async (text: string): Promise<string> =>
  await rowsOf(text).then(
    () => 'none',
    (error: unknown) =>
      error instanceof FileFault ? `${error.line}:${error.column} ${error.message}` : String(error),
  );

describe('delimited text', () => {
  it('quotes, doubled quotes, line breaks within quotes and empty cells are read as they are meant', async () => {
    expect(await rowsOf('a;b\r\n"x;y";"say ""hi"""\r\n"two\r\nlines";\n;\nlast;')).toEqual([
      ['a', 'b'],
      ['x;y', 'say "hi"'],
      ['two\r\nlines', ''],
      ['', ''],
      ['last', ''],
    ]);
  });

  it('any table survives being written and read, however the file is cut into pieces', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'é', '"', ';', '\n', '\r\n', ' ', '€', '1'),
      maxLength: 6,
    });
    const row = fc.array(cell, { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (table, size) => {
          const text = table
            .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(';'))
            .join('\r\n');
          expect(await rowsOf(text, ';', size)).toEqual(table);
        },
      ),
    );
  });

  it('a quote in the wrong place is told with line and column, also one that is never closed', async () => {
    expect(await faultOf('a;b\n1;"x"y"\n2;z')).toMatch(/^2:5 a quote within/);
    expect(await faultOf('a;b\n1;"x\n2;z\n')).toMatch(/^2:3 .*never closed/);
    expect(await faultOf('a;b\n1;"x\n2;"z"\n3;4')).toMatch(/^3:3 a quote within/);
    expect(await faultOf(`a;b\n1;"x\n${'2;z\n'.repeat(2_000_000)}`)).toMatch(/^2:3 .*never closed/);
  });

  it('bytes that are none of the encoding stop the reading near their line', async () => {
    const bytes = Buffer.concat([Buffer.from('ä\n'.repeat(20_000)), Buffer.from([0xe4, 0x0a])]);
    const read = async (): Promise<string> => {
      let text = '';
      const stream = (async function* () {
        yield bytes.subarray(0, 3);
        yield bytes.subarray(3);
      })();
      for await (const piece of decoded(stream, 'utf-8')) text += piece;
      return text;
    };
    const fault = await read().catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(FileFault);
    expect(fault instanceof FileFault ? fault.line : 0).toBeGreaterThan(14_000);
    expect(fault instanceof FileFault ? fault.message : '').toContain('encoding');
  });
});
