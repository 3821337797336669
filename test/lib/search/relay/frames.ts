import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { type Frame, onFrame, sendFrame } from '../../../../lib/search/relay/frames.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('messages over a socket', () => {

    it('arrive as they were sent, however their bytes are divided', async () => {

        const server = createServer().listen(join(tmpdir(), `frames-${process.pid}`));
        await once(server, 'listening');
        const sender = connect(server.address() as string);
        const [receiver] = await once(server, 'connection') as [Socket];
        const received: Frame[] = [];
        onFrame(receiver, (frame) => received.push(frame));
        const sent: Frame[] = [
            { id: 1, text: '' }, { id: 2 ** 32 - 1, text: 'ä€😀' }, ...Array.from({ length: 300 }, (_, id) => ({ id, text: 'x€'.repeat(id * 3) })),
            { id: 5, text: 'long '.repeat(300_000) }
        ];
        sent.slice(0, -1).forEach((frame) => sendFrame(sender, frame));
        const parts: Buffer[] = [];
        sendFrame({ write: (bytes: Buffer) => parts.push(bytes) } as unknown as Socket, sent.at(-1) as Frame);
        const bytes = Buffer.concat(parts);
        for (let start = 0; start < bytes.length; start += start < 20 ? 1 : 70_001) {
            sender.write(bytes.subarray(start, start < 20 ? start + 1 : start + 70_001));
            await new Promise(setImmediate);
        }

        await until(() => received.length === sent.length);
        expect(received).to.equal(sent);
        sender.destroy();
        receiver.destroy();
        server.close();
    });
});
