/**
 * `doip-gateway export FILE`: writes the whole repository to a file or to standard output. The file appears only when it is complete. Payloads that are
 * damaged in the repository are listed.
 */

import { DAMAGE_START } from '../bulk/format/export-format.js';
import { Op } from '../doip/operation-ids.js';
import { bytesOf } from '../doip/segments.js';
import { CommandError, EXIT, incomplete } from './command-error.js';
import { parseJson } from '../json/strict-parser.js';
import { isJsonObject } from '../util/json-types.js';
import { flushOutput, writeOutput } from './output.js';
import { Progress } from './terminal/progress.js';
import type { Service } from './service.js';
import { demandOk, shown } from './remote.js';

const NEWLINE = 0x0a;

/**
 * Exports to `file`, with `force` in the place of an existing one; `-` is standard output.
 *
 * @throws CommandError also after everything was written, if payloads are damaged
 */
export async function exportTo(service: Service, file: string, force: boolean): Promise<void> {

    await service.uploadEnded?.();
    const response = await service.perform({ targetId: 'service', operationId: Op.exportObjects });
    await demandOk(response);
    const progress = new Progress(`export (${service.location})`, null);
    const counter = new LastLine();
    const damaged = new DamagedPayloads();
    await writeOutput(file, damaged.of(counter.of(progress.of(bytesOf(response.output)))), force).catch(incomplete);
    progress.end(`${counter.objects()} objects`);
    if (damaged.count > 0) {
        await flushOutput();
        const written = file === '-' ? 'the export' : file;
        throw new CommandError(`${written} is complete, but without ${damaged.count} payloads, which are damaged in the repository: take them from a backup`, EXIT.lost);
    }
}

/** Lists the payloads of which an export has no bytes, since they are damaged. */
class DamagedPayloads {

    static readonly #start = Buffer.from(`\n${DAMAGE_START}`);
    /** The last bytes, with which a line may begin that goes on in the next chunk. */
    #rest: Buffer = Buffer.alloc(0);
    count = 0;

    async *of(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

        for await (const chunk of body) {
            this.#read(Buffer.concat([this.#rest, chunk]));
            yield chunk;
        }
    }

    #read(bytes: Buffer): void {

        const mark = DamagedPayloads.#start;
        let end = 0;
        for (let start = bytes.indexOf(mark); start !== -1; start = bytes.indexOf(mark, end)) {
            end = bytes.indexOf(NEWLINE, start + 1);
            if (end === -1) {
                this.#rest = bytes.subarray(start);
                return;
            }

            this.#list(bytes.subarray(start + 1, end));
        }

        this.#rest = bytes.subarray(Math.max(end, bytes.byteLength - mark.byteLength + 1));
    }

    #list(line: Buffer): void {

        const value = parseJson(line);
        const { element, object } = isJsonObject(value) ? value : {};
        this.count += 1;
        process.stderr.write(`export: payload ${shown(element)} of ${shown(object)} is damaged\n`);
    }
}

/** Remembers the last line of a stream, which says whether the export is complete. */
class LastLine {

    #tail = Buffer.alloc(0);

    async *of(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

        for await (const chunk of body) {
            this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-LastLine.#length);
            yield chunk;
        }

        this.objects();
    }

    /** Number of objects. Throws a CommandError when the last line is missing. */
    objects(): number {

        const line = this.#tail.subarray(this.#tail.lastIndexOf(NEWLINE, -2) + 1).toString();
        const count = /^\{"end":true,"objects":(\d+)(?:,"damaged":\d+)?\}\n$/.exec(line)?.[1];
        if (count === undefined) {
            throw new CommandError('the export broke off, see the log of the service', EXIT.failed);
        }

        return Number(count);
    }

    static readonly #length = 200;
}

