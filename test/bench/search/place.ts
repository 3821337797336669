/**
 * A data folder with the objects of the benchmark in it, and the index over it as the service composes it.
 *
 * Objects are inserted as rows through the stores, many to a commit, and indexed by the index itself when it finds that it has
 * none: what is measured as indexing is the product's own way of building its index anew.
 */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../../db/database.js';
import { SILENT } from '../../../db/log.js';
import { openDatabase } from '../../../db/engines/open.js';
import { ADMIN_ID } from '../../../lib/model/caller.js';
import type { ObjectChange } from '../../../lib/model/write-participant.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { IndexSupervisor } from '../../../lib/search/runtime/index-supervisor.js';
import { IndexFormStore } from '../../../lib/stores/search/indexed-form-store.js';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { ObjectStore } from '../../../lib/stores/objects/object-store.js';
import { SearchLogStore } from '../../../lib/stores/search/change-log-store.js';
import { SearchSegmentStore } from '../../../lib/stores/search/segment-store.js';
import { sourceOf } from '../../support/search-node.js';
import { BenchCorpus } from './corpus.js';
import type { LocalSearchOptions } from '../../../lib/search/runtime/index-options.js';

const SEED = 20_260_101;
const UNIT = 500;

/** The name under which a service that has its database to itself keeps its index. */
const OWNER = 'local';

const ADMIN: ObjectChange['caller'] = {
    userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'internal'
};

/** The objects of the benchmark, always the same ones. */
export function *corpus(count: number): Generator<StoredObject> {

    const source = new BenchCorpus(SEED);
    for (let i = 0; i < count; ++i) {
        yield source.next();
    }
}

/** An open data folder. */
export class BenchPlace {

    readonly database: Database;
    readonly #folder: string;

    private constructor(database: Database, folder: string) {

        this.database = database;
        this.#folder = folder;
    }

    static async open(folder: string): Promise<BenchPlace> {

        mkdirSync(folder, { recursive: true });
        const database = await openDatabase({ dataDir: folder });
        await database.migrate();
        return new BenchPlace(database, folder);
    }

    /** Inserts objects unless they are there. */
    async load(count: number): Promise<void> {

        const [found] = await this.database.read<{ n: number }>({ sql: `select count(*) as n from objects where id like 'bench/%'` }, []);
        if (found?.n === count) {
            return;
        }

        const store = new ObjectStore(this.database);
        for (const objects of inUnits(corpus(count), UNIT)) {
            await this.#commit(objects.flatMap((object) => store.insertSteps(object, 'taken')));
        }
    }

    index(options: Partial<LocalSearchOptions> = {}): IndexSupervisor {

        return new IndexSupervisor({
            log: new SearchLogStore(this.database), segments: new SearchSegmentStore(this.database, OWNER),
            source: sourceOf(new ObjectScan(this.database), new IndexFormStore(this.database)), logger: SILENT, isShared: false, ...options
        });
    }

    /** Lets go of the index, so that it is built anew. */
    async forgetIndex(): Promise<void> {

        await this.#commit([{ sql: 'delete from search_manifest', bindings: [] }]);
    }

    /** Creates objects as the service does, with the index taking part. */
    async write(index: IndexSupervisor, objects: Iterable<StoredObject>): Promise<void> {

        const store = new ObjectStore(this.database);
        for (const unit of inUnits(objects, UNIT)) {
            const changes = unit.map((after): ObjectChange => ({ before: null, after, processed: null, steps: [], caller: ADMIN, now: 0 }));
            const steps = [];
            for (const change of changes) {
                steps.push(...store.insertSteps(change.after as StoredObject, 'taken'), ...await index.participant.steps(change));
            }

            await this.#commit(steps);
            changes.forEach((change) => index.participant.committed?.(change));
        }
    }

    /** Creates, replaces or deletes one object, likewise. */
    async change(index: IndexSupervisor, before: StoredObject | null, after: StoredObject | null): Promise<void> {

        const store = new ObjectStore(this.database);
        const change: ObjectChange = { before, after, processed: null, steps: [], caller: ADMIN, now: 0 };
        const own = after ? before ? store.updateSteps(before, after, 'changed') : store.insertSteps(after, 'taken') :
            before ? store.deleteSteps(before, 'changed') : [];
        await this.#commit([...own, ...await index.participant.steps(change)]);
        index.participant.committed?.(change);
    }

    /** Bytes of the stored segments, and of the file of the database with everything in it. */
    async disk(): Promise<{ index: number; file: number }> {

        const [found] = await this.database.read<{ n: number | null }>({
            sql: 'select sum(length(bytes)) as n from search_sections join search_segments on id = segment_id where live = 1'
        }, []);
        const file = join(this.#folder, 'repository.sqlite');
        return { index: found?.n ?? 0, file: existsSync(file) ? statSync(file).size : 0 };
    }

    async segments(): Promise<number> {

        return (await new SearchSegmentStore(this.database, OWNER).segments()).length;
    }

    async close(): Promise<void> {

        await this.database.close();
    }

    async #commit(steps: Parameters<Database['commit']>[0]['steps']): Promise<void> {

        const result = await this.database.commit({ steps });
        if (!result.ok) {
            throw new Error(`not written: ${result.failed}`);
        }
    }
}

function *inUnits<T>(items: Iterable<T>, size: number): Generator<T[]> {

    let unit: T[] = [];
    for (const item of items) {
        unit.push(item);
        if (unit.length === size) {
            yield unit;
            unit = [];
        }
    }

    if (unit.length > 0) {
        yield unit;
    }
}
