/** Rows of a CSV file (RFC 4180): the first line has the names of the columns, each other row is an object of their texts. */

import { parse, type Parser } from 'csv-parse';
import type { JsonObject } from '../../util/json-types.js';
import { FormatError, type Row } from './row.js';

/** How the file is written. */
export interface CsvOptions {
    /** One character; default a comma. */
    readonly delimiter?: string;
    /** Name of a character encoding, as web pages have it; default `utf-8`. */
    readonly encoding?: string;
}

/** Maximum length of a row, in characters. */
const MAX_ROW_LENGTH = 64 * 1024 * 1024;

/**
 * Iterates over the rows. Empty cells are left out, and so are empty lines.
 *
 * @throws FormatError for columns without distinct names, text of another encoding, and quotes that are not closed
 */
export async function *csvRows(body: AsyncIterable<Uint8Array>, { delimiter = ',', encoding = 'utf-8' }: CsvOptions = {}): AsyncGenerator<Row, void, undefined> {

    const parser = new RecordParser(delimiter);
    let columns: readonly string[] | null = null;
    try {
        for await (const text of decoded(body, encoding)) {
            for await (const { line, record } of parser.parse(text)) {
                if (columns) {
                    yield rowOf(columns, record, line);
                }
                else {
                    columns = columnsOf(record);
                }
            }
        }
    }
    finally {
        parser.close();
    }
}

/** Cells of a row, with the line where it begins. */
interface CsvRecord {
    readonly line: number;
    readonly record: readonly string[];
}

/** Passes text to the parser bit by bit, so that the rows before an error are not lost in its buffers. */
class RecordParser {

    readonly #parser: Parser;
    #records: CsvRecord[] = [];
    #error: Error | null = null;
    /** Line ends of two characters within cells, which the parser counts twice. */
    #pairs = 0;
    /** Line where the last row ends. */
    #end = 0;

    constructor(delimiter: string) {

        this.#parser = parse({
            delimiter, relax_column_count: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n', '\r'], max_record_size: MAX_ROW_LENGTH,
            on_record: (record: readonly string[], { lines }) => {

                this.#add(record, lines);
                return null;
            }
        });
        this.#parser.on('error', () => undefined).resume();         // It is an argument of the callback
    }

    /** Yields the rows that end in the text; null is the end of the file. @throws FormatError */
    async *parse(text: string | null): AsyncGenerator<CsvRecord, void, undefined> {

        await new Promise<void>((resolve) => {

            const done = (error?: Error | null): void => {

                this.#error ??= error ?? null;
                resolve();
            };

            if (text === null) {
                this.#parser.end(done);
            }
            else {
                this.#parser.write(text, done);
            }
        });
        const records = this.#records;
        this.#records = [];
        yield *records;
        if (this.#error) {
            throw new FormatError(`the file is no CSV after line ${this.#end}: ${this.#error.message}`, { cause: this.#error });
        }
    }

    close(): void {

        this.#parser.destroy();
    }

    #add(record: readonly string[], lines: number): void {

        const [ends, pairs] = [/\r\n|\r|\n/g, /\r\n/g].map((pattern) => record.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0));
        this.#pairs += pairs ?? 0;
        this.#end = lines - this.#pairs;
        this.#records.push({ record, line: this.#end - (ends ?? 0) });
    }
}

/** Names of the columns. */
function columnsOf(record: readonly string[]): readonly string[] {

    const names = record.map((name) => name.trim());
    const known = new Set<string>();
    const repeated = names.find((name) => name !== '' && known.size === known.add(name).size);
    if (repeated !== undefined) {
        throw new FormatError(`line 1: two columns have the name ${repeated}`);
    }

    return names;
}

function rowOf(columns: readonly string[], record: readonly string[], line: number): Row {

    if (record.length > columns.length) {
        return { line, error: `it has ${record.length} cells, but there are ${columns.length} columns: is the delimiter right, and are texts with it in quotes?` };
    }

    const value: JsonObject = {};
    record.forEach((cell, index) => {

        const name = columns[index] ?? '';
        if (cell !== '' && name !== '') {
            Object.defineProperty(value, name, { value: cell, enumerable: true, configurable: true, writable: true });
        }
    });
    return { line, value };
}

/** Decodes the text, with null at its end; bytes that the encoding does not have are an error, as they would be stored as other characters. */
async function *decoded(body: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string | null, void, undefined> {

    const decoder = new TextDecoder(encoding, { fatal: true });
    let line = 1;
    const decode = (chunk?: Uint8Array): string => {

        try {
            const text = chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
            line += text.split('\n').length - 1;
            return text;
        }
        catch (error) {
            throw new FormatError(`after line ${line} there is text that is not ${encoding}: name its encoding, such as windows-1252`, { cause: error });
        }
    };

    for await (const chunk of body) {
        yield decode(chunk);
    }

    yield decode();
    yield null;
}
