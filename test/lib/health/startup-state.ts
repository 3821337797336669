import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { StorageCondition, Subsystem, SubsystemState } from '../../../lib/health/startup-state.js';
import { StartupState, SUBSYSTEMS } from '../../../lib/health/startup-state.js';

export const lab = Lab.script();
const { describe, it } = lab;

const ALL_UP = SUBSYSTEMS.map((subsystem): [Subsystem, SubsystemState] => [subsystem, 'UP']);

describe('the startup state', () => {

    const table: readonly (readonly [title: string, changes: readonly (readonly [Subsystem, SubsystemState])[], state: 'UP' | 'FAILED'])[] = [
        ['is FAILED until the storage is up', [], 'FAILED'],
        ['is UP as soon as the storage is, while others are starting', [['storage', 'UP']], 'UP'],
        ['is UP when everything is', ALL_UP, 'UP'],
        ['is FAILED when any subsystem is', [...ALL_UP, ['indexer', 'FAILED']], 'FAILED'],
        ['is FAILED when any subsystem is, while others are starting', [['storage', 'FAILED']], 'FAILED'],
        ['is UP again when that subsystem is', [...ALL_UP, ['storage', 'FAILED'], ['storage', 'UP']], 'UP']
    ];
    for (const [title, changes, state] of table) {
        it(title, () => {

            const startup = new StartupState();
            startup.start();
            changes.forEach(([subsystem, each]) => startup.set(subsystem, each));

            expect(startup.state).to.equal(state);
            expect<unknown>(startup.record()['state']).to.equal(state);
        });
    }

    it('has the states and names of the specification, and every other subsystem', () => {

        const startup = new StartupState();
        const before = startup.record();
        startup.start();
        const starting = startup.record();
        SUBSYSTEMS.forEach((subsystem) => startup.set(subsystem, 'UP'));

        expect<unknown>(before).to.equal({ state: 'FAILED', details: {}, subsystems: {} });
        expect<unknown>(starting).to.equal({
            state: 'FAILED', details: {},
            subsystems: { storage: 'STARTING', indexer: 'STARTING', identity: 'STARTING', handles: 'STARTING', jobs: 'STARTING' }
        });
        expect<unknown>(startup.record()).to.equal({
            state: 'UP', details: { storage: 'UP', indexer: 'UP' },
            subsystems: { storage: 'UP', indexer: 'UP', identity: 'UP', handles: 'UP', jobs: 'UP' }
        });
    });

    it('is FAILED for starting subsystems when a start ends early, until the next one', () => {

        const startup = new StartupState();
        startup.start();
        startup.set('storage', 'UP');
        startup.fail();
        const failed = startup.record();
        startup.start();

        expect<unknown>(failed).to.equal({
            state: 'FAILED', details: { storage: 'UP', indexer: 'FAILED' },
            subsystems: { storage: 'UP', indexer: 'FAILED', identity: 'FAILED', handles: 'FAILED', jobs: 'FAILED' }
        });
        expect<unknown>(startup.record()['details']).to.equal({});
    });

    it('is ready without what needs not work, but not without its database, nor while it is about to stop', async () => {

        const startup = new StartupState();
        SUBSYSTEMS.forEach((subsystem) => startup.set(subsystem, 'UP'));
        let found: StorageCondition | null = null;
        startup.succeed(() => Promise.resolve(found));
        const readiness = async (): Promise<boolean[]> => await Promise.all(
            ([[], ['payloads'], ['search'], ['payloads', 'search']] as const).map(async (exclude) => await startup.unreadiness(exclude) === null));

        expect(await readiness()).to.equal([true, true, true, true]);
        found = 'no payloads';
        expect(await readiness()).to.equal([false, true, false, true]);
        startup.set('indexer', 'FAILED');
        expect(await readiness()).to.equal([false, false, false, true]);
        found = null;
        expect(await readiness()).to.equal([false, false, true, true]);
        found = 'silent';
        expect(await readiness()).to.equal([false, false, false, false]);
        found = null;
        startup.drain();
        expect(await readiness()).to.equal([false, false, false, false]);
    });

    it('is not ready before everything has started that is needed, even without what needs not work', async () => {

        const startup = new StartupState();
        const reasons: (string | null)[] = [];
        startup.start();
        for (const subsystem of SUBSYSTEMS.filter((each) => each !== 'indexer')) {
            startup.set(subsystem, 'UP');
            reasons.push(await startup.unreadiness(['search']));
        }

        expect(reasons).to.equal(['not up: identity, handles, jobs', 'not up: handles, jobs', 'not up: jobs', null]);
        expect(await startup.unreadiness()).to.equal('not up: indexer');
    });

    it('is not ready while its index is, and other parts are starting', async () => {

        const startup = new StartupState();
        startup.start();
        startup.set('storage', 'UP');
        startup.set('indexer', 'UP');

        expect(await startup.unreadiness()).to.equal('not up: identity, handles, jobs');
    });

    const troubles: readonly (readonly [trouble: StorageCondition, message: RegExp])[] = [
        ['silent', /does not answer/], ['full', /is full: what is stored can be read/], ['damaged', /cannot be read/]
    ];
    for (const [trouble, message] of troubles) {
        it(`is FAILED while the storage is ${trouble}`, async () => {

            const startup = new StartupState();
            SUBSYSTEMS.forEach((subsystem) => startup.set(subsystem, 'UP'));
            let found: StorageCondition | null = trouble;
            startup.succeed(() => Promise.resolve(found));
            const failed = await startup.probedRecord();
            found = null;

            expect(JSON.stringify([failed['state'], failed['details']])).to.equal('["FAILED",{"storage":"FAILED","indexer":"UP"}]');
            expect(JSON.stringify(failed['message'])).to.match(message);
            expect(JSON.stringify(await startup.probedRecord())).to.equal(JSON.stringify(startup.record()));
            expect(startup.state).to.equal('UP');
        });
    }
});
