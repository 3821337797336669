/** What a worker process knows of the primary one: whether type code has to do with searches. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { PrimaryChannel } from '../../../lib/cluster/primary-channel.js';
import type { FromWorker, ToWorker } from '../../../lib/cluster/messages.js';
import type { CodeSurvey } from '../../../lib/scripting/hooks/search-code.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

describe('what a worker is told of type code', () => {

    const send = Object.getOwnPropertyDescriptor(process, 'send');
    const listeners = { message: process.listeners('message'), disconnect: process.listeners('disconnect') };
    let sent: FromWorker[];
    let channel: PrimaryChannel;

    beforeEach(() => {

        sent = [];
        process.send = (message: FromWorker) => sent.push(message) > 0;
        channel = new PrimaryChannel();
        void channel.begin();
    });

    afterEach(() => {

        for (const name of ['message', 'disconnect'] as const) {
            process.listeners(name as 'disconnect').filter((each) => !(listeners[name] as unknown[]).includes(each))
                .forEach((each) => process.removeListener(name, each));
        }

        delete process.send;
        Object.defineProperties(process, send ? { send } : {});
    });

    /** Answers the last question. */
    function answer(survey: Partial<CodeSurvey> & Pick<CodeSurvey, 'epoch'>): void {

        const { history } = sent.at(-1) as FromWorker & { kind: 'code' };
        const message: ToWorker = { kind: 'code', survey: { isSearchFree: true, resolving: new Set(), ...survey }, history };
        process.emit('message', message, undefined as never);
    }

    const questions = (): unknown[] => sent.flatMap((message) => (message.kind === 'code' ? [message.epoch] : []));

    it('holds for the epoch of which it was told, and is asked once', () => {

        const state = { epoch: 7, storedEpoch: 7 };
        const before = channel.codeOf(state);
        answer({ epoch: 7 });

        expect([before, channel.codeOf(state)?.isSearchFree, channel.codeOf({ epoch: 8, storedEpoch: 8 })]).to.equal([null, true, null]);
        expect(questions()).to.equal([7, 8]);
    });

    it('does not hold for the same epoch after the database has lost commits', () => {

        channel.codeOf({ epoch: 7, storedEpoch: 7 });
        answer({ epoch: 7 });
        const after = { epoch: 9, storedEpoch: 7 };

        expect(channel.codeOf(after)).to.be.null();
        answer({ epoch: 7, isSearchFree: false });
        expect(channel.codeOf(after)?.isSearchFree).to.be.false();
        expect(questions()).to.equal([7, 7]);
    });

    it('is not taken from an answer to a question of before that loss', () => {

        channel.codeOf({ epoch: 7, storedEpoch: 7 });
        const { history } = sent.at(-1) as FromWorker & { kind: 'code' };
        const after = { epoch: 9, storedEpoch: 7 };
        channel.codeOf(after);
        process.emit('message', { kind: 'code', survey: { epoch: 7, isSearchFree: true, resolving: new Set() }, history } satisfies ToWorker, undefined as never);

        expect(channel.codeOf(after)).to.be.null();
    });
});
