import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Segment } from '../../../lib/doip/envelope.js';
import { json } from '../../../lib/doip/segments.js';
import { success } from '../../support/performers.js';
import type { Wire } from '../../support/wire.js';
import { answerOf, openWire, until } from '../../support/wire.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

describe('downloads through DOIP over HTTP', () => {

    let wire: Wire;

    before(async () => {

        wire = await openWire();
    });

    after(() => wire.server.stop({ timeout: 1000 }));

    it('abort the operation when the client disconnects', async () => {

        const seen = { bytes: 0, segments: 0 };
        let signal: AbortSignal | undefined;
        wire.perform = (doip) => {

            signal = doip.signal;
            const body = async function *(): AsyncGenerator<Uint8Array> {

                try {
                    for (;;) {
                        yield Buffer.alloc(64 * 1024);
                    }
                }
                finally {
                    ++seen.bytes;
                }
            };

            const output = async function *(): AsyncGenerator<Segment> {

                try {
                    yield { kind: 'bytes', body: body() };
                }
                finally {
                    ++seen.segments;
                }
            };

            return Promise.resolve(success(output()));
        };

        const download = wire.request({}, 'GET');
        download.on('error', () => undefined).end();
        const [response] = await once(download, 'response') as [IncomingMessage];
        await once(response, 'readable');
        download.destroy();
        await until('everything is released', () => seen.bytes === 1 && seen.segments === 1);

        await until('the signal fires', () => signal?.aborted === true);
    });

    it('do not abort the signal of a completed request', async () => {

        let signal: AbortSignal | undefined;
        wire.perform = (doip) => {

            signal = doip.signal;
            return Promise.resolve(success(json(1)));
        };

        const target = wire.request({}, 'GET');
        target.end();
        await answerOf(target);
        await delay(20);

        expect(signal?.aborted).to.be.false();
    });

    const faulty: [string, () => AsyncGenerator<Uint8Array>, number | undefined, RegExp][] = [
        ['fails on the way', async function *() {

            yield Buffer.alloc(100_000);
            await Promise.reject(new Error('disk on fire'));
        }, 200_000, /disk on fire/],
        ['fails on the way, of unknown length', async function *() {

            yield Buffer.alloc(100_000);
            await Promise.reject(new Error('disk on fire'));
        }, undefined, /disk on fire/],
        ['ends too early', async function *() {

            yield Buffer.alloc(100_000);
        }, 200_000, /has 100000 bytes instead of the promised 200000/],
        ['is too long', async function *() {

            yield Buffer.alloc(100_000);
            yield Buffer.alloc(150_000);
        }, 200_000, /more than the promised 200000/]
    ];

    for (const [title, body, length, message] of faulty) {
        it(`reset the connection when an output ${title}, and log it`, async () => {

            wire.faults.length = 0;
            const segment = { kind: 'bytes', body: body(), ...(length === undefined ? {} : { length }) } as const;
            const output = async function *(): AsyncGenerator<Segment> {

                yield segment;
            };

            wire.perform = () => Promise.resolve(success(output()));
            const target = wire.request({}, 'GET');
            target.end();

            await expect(answerOf(target)).to.reject(/aborted|hang up/);
            await until('the fault is logged', () => wire.faults.some((fault) => message.test(String(fault))));
        });
    }

    it('reset the connection when a second segment cannot be written any more', async () => {

        wire.faults.length = 0;
        const output = async function *(): AsyncGenerator<Segment> {

            const body = async function *(): AsyncGenerator<Uint8Array> {

                yield Buffer.alloc(100_000);
            };

            yield { kind: 'bytes', body: body() };
            yield { kind: 'json', value: 1 };
        };

        wire.perform = () => Promise.resolve(success(output()));
        const target = wire.request({}, 'GET');
        target.end();

        await expect(answerOf(target)).to.reject(/aborted|hang up/);
        await until('the fault is logged', () => wire.faults.some((fault) => /needs the attribute mediaType multipart\/mixed/.test(String(fault))));
    });
});
