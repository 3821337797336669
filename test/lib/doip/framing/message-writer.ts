import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Writable } from 'node:stream';
import { MessageWriter } from '../../../../lib/doip/framing/message-writer.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

describe('the writer of messages', () => {

    let writes: string[];
    let writer: MessageWriter;

    beforeEach(() => {

        writes = [];
        writer = new MessageWriter(new Writable({
            write(chunk: Buffer, _encoding, done) {

                writes.push(chunk.toString());
                done();
            }
        }));
    });

    async function *breakingOff<T>(...parts: readonly T[]): AsyncGenerator<T> {

        yield *parts;
        throw new Error('no more');
    }

    // A client keeps what follows `#` in the same record, and takes it for the beginning of the next response.
    it('writes the ends of a segment and of the message by themselves', async () => {

        await writer.json('{}');
        await writer.end();

        expect(writes).to.equal(['{}', '\n#\n', '#\n']);
    });

    it('does so also where JSON breaks off', async () => {

        await expect(writer.jsonParts(breakingOff('{"size":'))).to.reject('no more');
        const goesOn = await writer.breakOff();

        expect(goesOn).to.be.true();
        expect(writes).to.equal(['{"size":', '{!', '\n#\n', '#\n']);
    });

    // A lenient parser takes `!` by itself for a string.
    it('breaks off between segments with what no parser accepts', async () => {

        await writer.json('{}');
        const goesOn = await writer.breakOff();

        expect(goesOn).to.be.true();
        expect(writes.slice(2)).to.equal(['{!', '\n#\n', '#\n']);
    });

    it('shows that it is alive only where all clients take a blank line for nothing', async () => {

        const alive = (): string => {

            const before = writes.length;
            writer.keepAlive();
            return writes.splice(before).join('');
        };

        const seen: string[] = [];
        const parts = async function *(): AsyncGenerator<string> {

            seen.push(`before text:${alive()}`);
            yield '[1';
            seen.push(`in text:${alive()}`);
            yield ',2]';
        };

        const chunks = async function *(): AsyncGenerator<Buffer> {

            seen.push(`before bytes:${alive()}`);
            yield Buffer.from('a');
            seen.push(`in bytes:${alive()}`);
        };

        seen.push(`before:${alive()}`);
        await writer.json('{}');
        seen.push(`after the head:${alive()}`);
        await writer.jsonParts(parts());
        seen.push(`after text:${alive()}`);
        await writer.bytes(chunks());
        seen.push(`after bytes:${alive()}`);
        await writer.bytes(chunks(), { isBeforeJson: true });
        seen.push(`before JSON:${alive()}`);
        await writer.json('{}');
        seen.push(`after JSON:${alive()}`);
        await writer.end();

        expect(seen.filter((each) => each.endsWith('\n'))).to.equal(['before:\n', 'in text:\n', 'before JSON:\n']);
        expect(seen).to.have.length(12);
    });

    it('breaks off bytes with a line that is no length', async () => {

        await expect(writer.bytes(breakingOff(Buffer.from('abc')))).to.reject('no more');
        const goesOn = await writer.breakOff();

        expect(goesOn).to.be.false();
        expect(writes.join('')).to.equal('@\n3\nabc\n!\n');
    });
});
