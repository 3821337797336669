/**
 * Program: the service, with operations that no repository has: one that takes long, one whose output breaks off, one that returns its input.
 */

import Joi from 'joi';
import { setTimeout as delay } from 'node:timers/promises';
import type { Segment } from '../../lib/index.js';
import { bytesSegment, createServer, defineOperation, jsonSegment, loadConfig, readBytes, result, sequence, serverUrl } from '../../lib/index.js';

const COMMON = { target: 'service', authorise: 'anyone' } as const;

const wait = defineOperation<{ seconds: number }>({
    ...COMMON, id: 'test/Op.Wait', summary: 'wait', attributes: Joi.object({ seconds: Joi.number().required() }),

    async handler({ attributes: { seconds } }) {

        await delay(seconds * 1000);
        return result.json({ waited: seconds });
    }
});

async function *bytesThatBreakOff(): AsyncGenerator<Uint8Array> {

    yield Buffer.alloc(100_000, 'x');
    await delay(100);
    throw new Error('bytes that break off');
}

async function *segmentsThatBreakOff(what: string): AsyncGenerator<Segment> {

    if (what === 'bytes') {
        yield { kind: 'bytes', body: bytesThatBreakOff() };
        return;
    }

    yield jsonSegment({ first: true });
    yield jsonSegment({ second: true });
    await delay(100);
    throw new Error('segments that break off');
}

const breakOff = defineOperation<{ what: string }>({
    ...COMMON, id: 'test/Op.BreakOff', summary: 'fail after some output', attributes: Joi.object({ what: Joi.string().valid('bytes', 'json').required() }),

    async handler({ attributes: { what } }) {

        return result.segments(segmentsThatBreakOff(what));
    }
});

const echo = defineOperation({
    ...COMMON, id: 'test/Op.Echo', summary: 'return the input', input: 'segments',

    async handler({ input }) {

        const segments: Segment[] = [];
        for await (const segment of input) {
            segments.push(segment.kind === 'json' ? segment : bytesSegment(await readBytes(segment.body, 1_000_000)));
        }

        return result.segments(sequence(...segments));
    }
});

async function main(): Promise<void> {

    const config = loadConfig();
    const server = await createServer(config);
    const { gateway } = server.plugins['doip-gateway'];
    gateway.registerOperation(wait);
    gateway.registerOperation(breakOff);
    gateway.registerOperation(echo);
    await server.start();
    console.log(serverUrl(server, config));
    process.once('SIGTERM', () => void server.stop().then(() => process.exit()));
}

void main();
