import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DoipRequest, DoipResponse, Segment } from '../../../lib/doip/envelope.js';
import { RecordOutput } from '../../../lib/doip/record-output.js';
import { bytesSegment, json, jsonSegment } from '../../../lib/doip/segments.js';
import { Session } from '../../../translators/doip-tcp/index.js';
import { BodyMemory } from '../../../translators/http/request/body-memory.js';
import { DEFAULT_LIMITS } from '../../../translators/http/request/translator-options.js';
import { NativeClient, serveNative } from '../../support/native.js';
import { performer, success } from '../../support/performers.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

const REQUEST = '{"targetId":"service","operationId":"test/Op"}\n#\n#\n';

/** A connection whose writes end when the test says so. */
class HeldSocket extends Duplex {

    readonly written: string[] = [];
    readonly bytesRead = 0;
    readonly bytesWritten = 0;
    #done: (() => void) | null = null;
    isHeld = false;

    override _read(): void {

        // The test pushes.
    }

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {

        this.written.push(chunk.toString());
        if (this.isHeld) {
            this.#done = done;
        }
        else {
            done();
        }
    }

    release(): void {

        this.isHeld = false;
        this.#done?.();
    }

    setTimeout(): this {

        return this;
    }

    setNoDelay(): this {

        return this;
    }

    destroySoon(): void {

        this.destroy();
    }
}

function serve(perform: (request: DoipRequest) => Promise<DoipResponse>): { socket: HeldSocket; session: Session; served: Promise<void> } {

    const socket = new HeldSocket();
    const session = new Session({
        socket: socket as unknown as Socket, id: 'test', remoteAddress: '127.0.0.1', isEncrypted: true, certificate: null, reset: () => void socket.destroy()
    }, {
        gateway: performer(perform), memory: new BodyMemory(1e6), onAnswered: () => undefined, onError: () => undefined,
        limits: { ...DEFAULT_LIMITS, segments: 1000, headMs: 60_000, stallMs: 60_000, idleMs: 60_000 }
    });
    return { socket, session, served: session.serve() };
}

describe('a session of native DOIP', () => {

    it('performs no request that comes while the connection is being ended', async () => {

        let performed = 0;
        const { socket, session, served } = serve(async () => {

            performed += 1;
            return success(json(1));
        });
        socket.push(REQUEST);
        await until(() => socket.written.length === 3);
        socket.isHeld = true;
        session.shutDown();
        socket.push(REQUEST);
        await nextTurn();
        await nextTurn();
        socket.release();
        await served;

        expect(performed).to.equal(1);
        expect(socket.written.filter((text) => text.includes('"status"'))).to.have.length(2);
        expect(socket.written.join('')).to.include('the service stops: connect again');
    });

    it('aborts a request whose client has gone before it was begun', async () => {

        const { socket, served } = serve(({ signal }) => new Promise((_, reject) => {

            const abort = (): void => reject(signal.reason as Error);
            return signal.aborted ? abort() : signal.addEventListener('abort', abort);
        }));
        socket.on('readable', () => socket.destroy());
        socket.push(REQUEST);
        await served;

        expect(socket.destroyed).to.be.true();
    });
});

describe('a client of native DOIP that waits for an output', () => {

    type Output = AsyncIterable<Segment> | Promise<AsyncIterable<Segment>>;

    /** Returns what a client gets of an output that waits until the client has got something. */
    async function withOutput(outputOf: (until: (received: RegExp) => Promise<void>) => Output): Promise<{ text: string; segments: number }> {

        let client: NativeClient | null = null;
        const service = await serveNative(performer(async () => success(await outputOf((text) =>
            until(() => text.test(client?.records.join('') ?? ''), 10_000)))));
        client = await NativeClient.open(service.port, { tls: false });
        const { segments } = await client.ask(REQUEST);
        const text = client.records.join('');
        client.close();
        await service.stop();
        return { text, segments: segments.length };
    }

    it('hears that the service is alive before its first segment', async () => {

        const { text, segments } = await withOutput(async function *(received) {

            await received(/^\n$/);
            yield jsonSegment({ id: 'a' });
            yield bytesSegment(Buffer.from('x'));
        });

        expect(text).to.startWith('\n{"status"');
        expect(segments).to.equal(2);
    });

    it('hears it before JSON that follows the bytes of an element', async () => {

        const { text, segments } = await withOutput(async function *(received) {

            yield jsonSegment({ id: 'a' });
            yield { ...bytesSegment(Buffer.from('x')), isBeforeJson: true };
            await received(/#\n\n$/);
            yield jsonSegment({ id: 'b' });
        });

        expect(text).to.contain('\nx\n#\n\n{"id":"b"}');
        expect(segments).to.equal(3);
    });

    it('hears it between two results of a search', async () => {

        const { text } = await withOutput((received) => RecordOutput.open({
            before: { size: 2 }, after: {}, blocks: (async function *() {

                yield ['a'.repeat(70_000)];
                await received(/a"\n$/);
                yield ['b'];
            })()
        }));

        expect(text.slice(-20)).to.endWith('a"\n,"b"]}\n#\n#\n');
    });
});
