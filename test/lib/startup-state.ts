import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Subsystem, SubsystemState } from '../../lib/startup-state.js';
import { StartupState, SUBSYSTEMS } from '../../lib/startup-state.js';

export const lab = Lab.script();
const { describe, it } = lab;

const ALL_UP = SUBSYSTEMS.map((subsystem): [Subsystem, SubsystemState] => [subsystem, 'UP']);

describe('the state of the service', () => {

    const table: readonly (readonly [title: string, changes: readonly (readonly [Subsystem, SubsystemState])[], state: SubsystemState])[] = [
        ['is starting when nothing is up', [], 'STARTING'],
        ['is starting while not everything is up', [['storage', 'UP'], ['indexer', 'UP']], 'STARTING'],
        ['is up when everything is', ALL_UP, 'UP'],
        ['has failed when anything has', [...ALL_UP, ['indexer', 'FAILED']], 'FAILED'],
        ['has failed when anything has, whatever is starting', [['storage', 'FAILED']], 'FAILED'],
        ['is up again when that is', [...ALL_UP, ['storage', 'FAILED'], ['storage', 'UP']], 'UP']
    ];
    for (const [title, changes, state] of table) {
        it(title, () => {

            const startup = new StartupState();
            startup.begin();
            changes.forEach(([subsystem, each]) => startup.set(subsystem, each));

            expect(startup.state).to.equal(state);
            expect<unknown>(startup.record()['state']).to.equal(state);
        });
    }

    it('tells of every subsystem, and of none before the first start', () => {

        const startup = new StartupState();
        const before = startup.record();
        startup.begin();

        expect<unknown>(before).to.equal({ state: 'STARTING', details: {} });
        expect<unknown>(startup.record()).to.equal({
            state: 'STARTING', details: { storage: 'STARTING', indexer: 'STARTING', identity: 'STARTING', handles: 'STARTING', jobs: 'STARTING' }
        });
    });

    it('is failure of what was starting when a start ends early, until the next one', () => {

        const startup = new StartupState();
        startup.begin();
        startup.set('storage', 'UP');
        startup.fail();
        const failed = startup.record();
        startup.begin();

        expect<unknown>(failed).to.equal({
            state: 'FAILED', details: { storage: 'UP', indexer: 'FAILED', identity: 'FAILED', handles: 'FAILED', jobs: 'FAILED' }
        });
        expect(startup.state).to.equal('STARTING');
    });
});
