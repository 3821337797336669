/** An upload of all objects whose process is killed, while it is reviewed and while it is undone, leaves either the new state or the former one. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../db/database.js';
import { forEachDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { ask } from '../support/outage.js';
import { startProcess } from '../support/process.js';
import type { ServiceProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OBJECTS = 5000;
const PATIENCE_MS = 240_000;

/** Phases of an upload of which one has begun when the job has: a busy machine may look later. What comes of the upload is the same. */
const FIRST_PHASES = ['review', 'keep', 'delete', 'types', 'others'];

interface Job {
    readonly id: number;
    readonly state: string;
    readonly progress: string | null;
}

forEachDatabase((name, create) => {

    describe(`an upload of all objects by a killed process, on ${name},`, () => {

        let place: TestDatabase;
        let database: Database;
        let service: ServiceProcess;

        before(async () => {

            place = await create();
            database = await place.open();
            service = await startProcess(place);
        });

        after(async () => {

            await service.kill();
            await place.dispose();
        });

        const upload = (type: string): Promise<unknown> => {

            const objects = Array.from({ length: OBJECTS }, (_, n) => ({ id: `test/${n % 2 ? 'both' : type}${n}`, type, content: { n, of: type } }));
            const schema = { id: `test/${type}`, type: 'Schema', content: { identifier: '', name: type, schema: { properties: { of: { const: type } } } } };
            return ask(service, '/uploadObjects?deleteCurrentObjects', { method: 'POST', body: JSON.stringify([...objects, schema]) })
                .then(({ status }) => status, () => 'cut');
        };

        async function newestJob(): Promise<Job | undefined> {

            const rows = await database.read<Job & Record<string, never>>({ sql: `select id, state, progress from jobs where kind = 'objects.upload' order by id desc limit 1` }, []);
            return rows[0];
        }

        // A job that has just begun has no progress yet, or null.
        const phaseOf = ({ progress }: Job): string => (JSON.parse(progress ?? 'null') as { phase: string } | null)?.phase ?? 'review';

        async function count(type: string): Promise<number> {

            return (await database.read<{ n: number }>({ sql: 'select count(*) as n from objects where type = ?' }, [type]))[0]?.n ?? 0;
        }

        /** Kills the service in one of some phases of the upload. */
        async function killIn(phases: readonly string[], isThere: () => Promise<boolean>): Promise<Job> {

            await until(isThere, PATIENCE_MS);
            await service.kill();
            const job = await newestJob();
            expect(job?.state).to.equal('running');
            expect(phases).to.include(phaseOf(job as Job));
            // Nobody has to wait until others may take it over.
            await database.commit({ steps: [{ sql: `update jobs set state = 'waiting', run_at = 0 where id = ?`, bindings: [job?.id ?? 0] }] });
            return job as Job;
        }

        async function ended(id: number): Promise<void> {

            await until(async () => {

                const job = await newestJob();
                return job?.id === id && job.state === 'done';
            }, PATIENCE_MS);
        }

        /** Everything that is found, as it is. */
        async function state(): Promise<string[]> {

            let found: { id: string; type?: string; content?: unknown }[] = [];
            await until(async () => {

                const { status, body } = await ask(service, '/search?query=*:*&pageSize=-1');
                found = (body['results'] ?? []) as typeof found;
                return status === 200;
            }, PATIENCE_MS);
            return found.map(({ id, type, content }) => JSON.stringify({ id, type, content })).sort();
        }

        it('is stored completely, or rolled back', { timeout: 900_000 }, async () => {

            const cut = upload('Former');
            const reviewed = await killIn(FIRST_PHASES, async () => (await newestJob())?.state === 'running');
            expect(await cut).to.equal('cut');
            service = await startProcess(place);
            await ended(reviewed.id);
            const former = await state();
            expect(former).to.have.length(OBJECTS + 1);
            expect(former.filter((each) => each.includes('"of":"Former"'))).to.have.length(OBJECTS);

            const cutAgain = upload('Later');
            const begun = await killIn(['others'], async () => await count('Later') > 0);
            expect(await cutAgain).to.equal('cut');
            const refused = JSON.stringify({ ...JSON.parse(begun.progress ?? '{}') as object, phase: 'undo', position: 0, failure: { message: 'refused', position: 1 } });
            await database.commit({ steps: [{ sql: 'update jobs set progress = ? where id = ?', bindings: [refused, begun.id] }] });
            service = await startProcess(place);
            await killIn(['undo'], async () => await count('Later') === 0 && await count('Former') > 0);
            expect(await count('Former')).to.be.below(OBJECTS);
            service = await startProcess(place);
            await ended(begun.id);

            expect(await state()).to.equal(former);
            expect((await ask(service, '/objects?type=Former&handle=test/new', { method: 'POST', body: '{"of":"Former"}' })).status).to.equal(200);
        });
    });
});
