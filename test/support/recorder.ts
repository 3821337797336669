/**
 * A REST server on a performer that only notes what it is asked to perform.
 */

import type { Server, ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import type { DoipRequest, DoipResponse } from '../../lib/doip/envelope.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { Performer } from '../../translators/http/request/translator-options.js';
import { json, readBytes } from '../../lib/doip/segments.js';
import { Status, StatusTable } from '../../lib/errors/status.js';
import { restServer, type RestServerOptions } from './rest.js';

/** Options of a request besides its method and URL. */
export type More = Omit<ServerInjectOptions, 'url'>;

/** Notes what it is asked to perform, reads its input and always says the same. */
export class Recorder implements Performer {

    readonly statuses = new StatusTable();
    requests: DoipRequest[] = [];
    inputs: unknown[] = [];
    answer: Partial<DoipResponse> = {};

    async perform(request: DoipRequest): Promise<DoipResponse> {

        this.requests.push(request);
        const ok = { requestId: null, status: Status.ok, attributes: {}, output: json({}) };
        try {
            await this.read(request);
        }
        catch (error) {
            return { ...ok, status: Status.badRequest, output: json({ message: (error as Error).message }) };
        }

        return { ...ok, output: json(OBJECT), ...this.answer };
    }

    /** Forgets everything. */
    reset(): void {

        this.requests = [];
        this.inputs = [];
        this.answer = {};
    }

    private async read(request: DoipRequest): Promise<void> {

        for await (const segment of request.input) {
            if (segment.kind === 'json') {
                this.inputs.push(segment.value);
            }
            else {
                const { mediaType, filename, body } = segment;
                const text = (await readBytes(body, 1_000_000)).toString();
                this.inputs.push({ text, ...(mediaType ? { mediaType } : {}), ...(filename ? { filename } : {}) });
            }
        }
    }
}

const OBJECT: JsonObject = { id: 'test/1', type: 'T', attributes: { content: {} }, elements: [] };

/** A recorder with a server before it. */
export interface RecordingServer {
    readonly recorder: Recorder;
    /** Sends a request given as `METHOD /url`. */
    inject(line: string, options?: More): Promise<ServerInjectResponse>;
}

/** Makes a server that records. */
export async function recordingServer(options: RestServerOptions = {}): Promise<RecordingServer> {

    const recorder = new Recorder();
    const server: Server = await restServer(recorder, options);
    return {
        recorder,
        inject(line, more = {}) {

            const [method = 'GET', url = '/'] = line.split(' ');
            return server.inject({ method, url, ...more });
        }
    };
}
