/**
 * `doip-gateway import FILE`: imports an export of this service or of the reference implementation from a file, a folder or standard input,
 * and lists what was not imported.
 */

import { open } from 'node:fs/promises';
import type { JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { Op } from '../doip/operation-ids.js';
import { sequence } from '../doip/segments.js';
import { Status } from '../errors/status.js';
import { CommandError, EXIT } from './command-error.js';
import { Progress } from './terminal/progress.js';
import { demandExport, referenceSource, type Source } from './cordra-source.js';
import type { Service } from './service.js';
import { recordOf, shown } from './remote.js';

/**
 * Imports `file`; `-` is standard input. With `replace`, also what is older than what the service has.
 *
 * @throws CommandError when an object was rejected or could not be read
 */
export async function importFrom(service: Service, file: string, replace: boolean): Promise<void> {

    const source = file === '-' ?
        { body: await demandExport(process.stdin, 'standard input'), size: null } : await referenceSource(file) ?? await openFile(file);

    await service.uploadEnded?.();
    const { remarks = [], errors = [] }: Partial<Source> = source;
    const progress = new Progress(`import (${service.location})`, source.size);
    const response = await service.perform({
        targetId: 'service', operationId: Op.importObjects, attributes: { replace },
        input: sequence({ kind: 'bytes', mediaType: 'application/x-ndjson', body: progress.of(source.body) })
    });
    const { created, updated, unchanged, results, success, message } = await recordOf(response);
    if (response.status !== Status.ok && results === undefined) {
        throw new CommandError(text(message), EXIT.failed);
    }

    const reported = Array.isArray(results) ? results : [];
    reported.forEach(printReport);
    errors.forEach((error) => process.stderr.write(`${shown(error)}\n`));
    remarks.forEach((remark) => process.stderr.write(`note: ${shown(remark)}\n`));
    const partial = reported.filter(isPartial).length;
    const failed = reported.length - partial + errors.length;
    const outcome = `${count(created)} objects created, ${count(updated)} updated, ${count(unchanged)} were there already, ${failed} refused`;
    progress.end(`${outcome}${partial > 0 ? `, ${partial} without damaged payloads` : ''}`);
    if (success !== true || errors.length > 0) {
        const lacks = `${partial} objects were stored without payloads that are damaged in the export`;
        const summary = [...failed > 0 || partial === 0 ? [`${failed} objects were refused`] : [], ...partial > 0 ? [lacks] : []].join(', and ');
        throw new CommandError(message === undefined ? summary : text(message), EXIT.data);
    }
}

/** True for an object that was stored, but without payloads that are damaged in the export. */
function isPartial(result: JsonValue): boolean {

    return isJsonObject(result) && isJsonObject(result['response']) && Array.isArray(result['response']['damaged']);
}

/** Opens a file or a named pipe. */
async function openFile(file: string): Promise<{ body: AsyncIterable<Uint8Array>; size: number | null }> {

    const handle = await open(file, 'r').catch((error: Error) => {

        throw new CommandError(`${file} cannot be read: ${error.message}`, EXIT.noInput);
    });
    const found = await handle.stat();
    const body = handle.createReadStream({ highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>;
    return found.isFile() ? { body, size: found.size } : { body: await demandExport(body, file), size: null };
}

/** Prints one line for an object that was rejected, or of which a part was not stored. */
function printReport(result: JsonValue): void {

    if (isJsonObject(result) && isJsonObject(result['response'])) {
        const { id, message } = result['response'];
        const name = typeof id === 'string' ? `, ${id}` : '';
        process.stderr.write(`${shown(`item ${count(result['position'])}${name}: ${count(result['responseCode'])} ${text(message)}`)}\n`);
    }
}

function count(value: JsonValue | undefined): number {

    return typeof value === 'number' ? value : 0;
}

function text(value: JsonValue | undefined): string {

    return typeof value === 'string' ? value : 'the service refused';
}
