/**
 * Connections for native DOIP that are opened as they are needed and used again: a response that is not read holds up only its own
 * connection.
 */

import { onClose } from '../util/streams/on-close.js';
import type { ClientRequest, ClientResponse, ClientSegment, Connection } from './connection.js';
import { NativeConnection, type NativeAddress } from './native-connection.js';

/** Maximum number of connections that are kept while nothing is performed. */
const MAX_IDLE = 8;

/** A pool for one service. */
export class NativePool implements Connection {

    readonly #address: NativeAddress;
    readonly #idle: NativeConnection[] = [];
    readonly #inUse = new Set<NativeConnection>();
    /** Ends connections that are being opened, too. */
    readonly #closing = new AbortController();

    constructor(address: NativeAddress) {

        this.#address = address;
    }

    async perform(request: ClientRequest): Promise<ClientResponse> {

        const { signal } = this.#closing;
        signal.throwIfAborted();
        const connection = this.#takeIdle() ??
            await NativeConnection.open(this.#address, request.signal ? AbortSignal.any([signal, request.signal]) : signal);
        this.#inUse.add(connection);
        try {
            const response = await connection.perform(request);
            return { ...response, output: this.#releasing(connection, response.output) };
        }
        catch (error) {
            this.#drop(connection);
            throw error;
        }
    }

    /** Closes all connections; responses that are being read are cut off. */
    close(): void {

        this.#closing.abort(new Error('the client is closed'));
        this.#idle.splice(0).forEach((connection) => connection.close());
        [...this.#inUse].forEach((connection) => this.#drop(connection));
    }

    /** The connection that was used last, as that is the least likely one to be closed soon. */
    #takeIdle(): NativeConnection | undefined {

        for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
            if (connection.isOpen) {
                return connection;
            }
        }

        return undefined;
    }

    /** Passes the output through. Its connection is kept if it was read to the end, and closed with whatever was not read. */
    #releasing(connection: NativeConnection, output: AsyncGenerator<ClientSegment, void, undefined>): ClientResponse['output'] {

        let isWhole = false;
        const whole = async function *(): AsyncGenerator<ClientSegment, void, undefined> {

            yield *output;
            isWhole = true;
        };

        return onClose(whole(), () => (isWhole ? this.#keep(connection) : this.#drop(connection)));
    }

    #keep(connection: NativeConnection): void {

        const isUsable = this.#inUse.delete(connection) && connection.isOpen && !connection.isSending;
        if (isUsable && this.#idle.length < MAX_IDLE) {
            this.#idle.push(connection);
            return;
        }

        connection.destroy();
    }

    #drop(connection: NativeConnection): void {

        this.#inUse.delete(connection);
        connection.destroy();
    }
}
