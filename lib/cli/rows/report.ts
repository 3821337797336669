/** The list of rejected rows. */

import { open, type FileHandle } from 'node:fs/promises';
import { jsonText } from '../../json/raw-json.js';
import type { JsonObject } from '../../util/json-types.js';
import { printable } from '../terminal/printable.js';

/** Rejected rows that are printed. */
const MAX_PRINTED = 20;

/** A rejected row. */
export interface Rejected {
    readonly line: number;
    readonly message: string;
    /** HTTP status. */
    readonly status?: number;
    readonly object?: JsonObject;
}

/** Lists rejected rows: the first ones on standard error, all of them in a file, if there is one. */
export class Report {

    readonly #file: FileHandle | null;
    #count = 0;

    private constructor(file: FileHandle | null) {

        this.#file = file;
    }

    /** @throws Error if the file exists, or cannot be written */
    static async open(file: string | undefined): Promise<Report> {

        return new Report(file === undefined ? null : await open(file, 'wx', 0o600));
    }

    /** Rows so far. */
    get count(): number {

        return this.#count;
    }

    async add(rejected: Rejected): Promise<void> {

        this.#count += 1;
        const { line, status, message, object } = rejected;
        if (this.#count <= MAX_PRINTED) {
            const id = object?.['id'];
            process.stderr.write(printable(`line ${line}${typeof id === 'string' ? `, ${id}` : ''}: ${status === undefined ? '' : `${status} `}${message}\n`));
        }
        else if (this.#count === MAX_PRINTED + 1) {
            process.stderr.write(`further rejected rows are counted${this.#file ? ' and written to the file' : '; --rejected FILE lists them'}\n`);
        }

        const { object: _, ...facts } = rejected;
        await this.#file?.appendFile(`${jsonText({ ...facts, ...object ? { object } : {} })}\n`);
    }

    async close(): Promise<void> {

        await this.#file?.close();
    }
}
