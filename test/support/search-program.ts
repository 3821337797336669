/** Writes objects at random through a search index until it is killed. Arguments: options of the database and seed, as JSON. */

import { openDatabase } from '../../db/engines/open.js';
import type { DatabaseOptions } from '../../db/engines/open.js';
import type { StoredObject } from '../../lib/model/stored-object.js';
import { ObjectScan } from '../../lib/stores/objects/object-scan.js';
import { SearchCorpus } from './search-corpus.js';
import { objectOf, SearchNode } from './search-node.js';

/** What the program is started with. */
export interface SearchProgramOptions {
    readonly database: DatabaseOptions;
    readonly seed: number;
    /** No object has a lower transaction number than this, nor one of the program before. */
    readonly firstTxnId: number;
}

const IDS = 60;

async function main({ database: options, seed, firstTxnId }: SearchProgramOptions): Promise<void> {

    const database = await openDatabase(options);
    const current = new Map<string, StoredObject>();
    for (const object of await new ObjectScan(database).after('')) {
        current.set(object.id, object);
    }

    const node = new SearchNode(database, { storeAfter: 15 });
    await node.index.start();
    const corpus = new SearchCorpus(seed);
    for (let txnId = firstTxnId; ; ++txnId) {
        const id = `test/${corpus.below(IDS)}`;
        const before = current.get(id) ?? null;
        const made = objectOf(corpus.document(id));
        const after = before && corpus.once(4) ? null : { ...made, metadata: { ...made.metadata, txnId } };
        await node.write(before, after);
        current.delete(id);
        if (after) {
            current.set(id, after);
        }

        process.stdout.write('.');
    }
}

if (require.main === module) {
    void main(JSON.parse(process.argv[2] ?? '') as SearchProgramOptions);
}
