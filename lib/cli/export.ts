/** `doip-gateway export FILE`: writes the whole repository to a file or to standard output. The file appears only when it is complete. */

import { Op } from '../doip/operation-ids.js';
import { bytesOf } from '../doip/segments.js';
import { CommandError, EXIT } from './command-error.js';
import { writeOutput } from './output.js';
import { Progress } from './terminal/progress.js';
import type { Service } from './service.js';
import { demandOk } from './remote.js';

const NEWLINE = 0x0a;

/** Exports to `file`, in the place of an existing one; `-` is standard output. */
export async function exportTo(service: Service, file: string): Promise<void> {

    await service.uploadEnded?.();
    const response = await service.perform({ targetId: 'service', operationId: Op.exportObjects });
    await demandOk(response);
    const progress = new Progress(`export (${service.location})`, null);
    const counter = new LastLine();
    const body = counter.of(progress.of(bytesOf(response.output)));
    await writeOutput(file, body);
    progress.end(`${counter.objects()} objects`);
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
        const count = /^\{"end":true,"objects":(\d+)\}\n$/.exec(line)?.[1];
        if (count === undefined) {
            throw new CommandError('the export broke off, see the log of the service', EXIT.failed);
        }

        return Number(count);
    }

    static readonly #length = 200;
}

