/**
 * Access control lists of the objects of a list. Long ones are not read with the rows of the list, but apart from them, few at a time,
 * so that neither the memory nor a turn of the event loop depends on how long they are.
 */

import type { Knex } from 'knex';
import type { Database } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';
import { turnFor } from '../../util/concurrency/event-loop-yielder.js';

/** Bytes of an access control list above which it is read apart from the row of its object. */
const LONG_BYTES = 4 * 1024;

/** Bytes of the access control lists in a block, which are parsed in one turn of the event loop; a single one may be longer. */
const BLOCK_BYTES = 128 * 1024;

/** A row with the columns of {@link aclColumns}. */
export interface AclRow {
    readonly id: string;
    /** Null if the object has none of its own, and if it is long. */
    readonly acl: string | null;
    readonly acl_bytes: number;
}

/** Returns the columns of the access control list of an object for a list; `table` is the name or alias of the table of objects. */
export function aclColumns(knex: Knex, table: string): Knex.Raw[] {

    const bytes = `octet_length(${table}.acl)`;
    return [
        knex.raw(`case when ${bytes} <= ${LONG_BYTES} then ${table}.acl end as acl`),
        knex.raw(`coalesce(${bytes}, 0) as acl_bytes`)
    ];
}

/** Reads long access control lists. */
export class LongAcls {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /**
     * Returns the rows of a list in order and in blocks, with their access control lists. Blocks with long ones come in turns of the event
     * loop of their own, if callers keep none of them. Objects that were deleted meanwhile may be left out.
     */
    async *blocks<R extends AclRow>(rows: readonly R[]): AsyncGenerator<R[], void, undefined> {

        for (const { block, bytes } of split(rows)) {
            await turnFor(bytes);
            yield await this.#complete(block);
        }
    }

    async #complete<R extends AclRow>(rows: R[]): Promise<R[]> {

        const ids = new Set(rows.filter(isLong).map(({ id }) => id));
        if (ids.size === 0) {
            return rows;
        }

        const read = await this.#sql.acls.read<{ id: string; acl: string | null }>({ ids: [...ids] });
        const acls = new Map(read.map(({ id, acl }) => [id, acl]));
        return rows.flatMap((row) => {

            if (!isLong(row)) {
                return [row];
            }

            const acl = acls.get(row.id);
            return acl === undefined ? [] : [{ ...row, acl }];
        });
    }
}

function isLong({ acl_bytes: bytes }: AclRow): boolean {

    return Number(bytes) > LONG_BYTES;
}

/** Splits rows into blocks by the length of their access control lists; adjacent rows of an object share one. */
function *split<R extends AclRow>(rows: readonly R[]): Generator<{ readonly block: R[]; readonly bytes: number }, void, undefined> {

    let block: R[] = [];
    let bytes = 0;
    for (const row of rows) {
        const added = row.id === block.at(-1)?.id ? 0 : Number(row.acl_bytes);
        if (added > 0 && block.length > 0 && bytes + added > BLOCK_BYTES) {
            yield { block, bytes };
            [block, bytes] = [[], 0];
        }

        block.push(row);
        bytes += added;
    }

    if (block.length > 0) {
        yield { block, bytes };
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        acls: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select('id', 'acl'))
    };
}
