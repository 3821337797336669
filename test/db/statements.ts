import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Dialect } from '../../db/database.js';
import { row, statements } from '../../db/statements.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A builder of statements that are not run. */
function builder(dialect: Dialect) {

    return statements({ dialect, read: () => Promise.resolve([]) });
}

describe('statements', () => {

    it('put named values at their positions in the SQL', () => {

        const build = builder('sqlite');
        const find = build<'id' | 'limit'>((knex, bind) => {

            return knex('objects').select('id').where('state', 'staged').andWhere('id', '>', bind('id')).limit(bind('limit'));
        });

        expect(find.sql).to.equal('select `id` from `objects` where `state` = ? and `id` > ? limit ?');
        expect(find.values({ limit: 5, id: 'test/1' })).to.equal(['staged', 'test/1', 5]);
    });

    it('bind the columns of a row by name, in any order of knex', () => {

        const build = builder('mysql');
        const insert = build<'b' | 'a'>((knex, bind) => knex('t').insert(row(bind, ['b', 'a'])));

        const step = insert.step({ a: 'A', b: 'B' }, { duplicate: 'taken' });

        expect(step.sql).to.equal('insert into `t` (`a`, `b`) values (?, ?)');
        expect(step).to.include({ bindings: ['A', 'B'], duplicate: 'taken' });
    });

    it('reject a missing value', () => {

        const find = builder('sqlite')<'id'>((knex, bind) => knex('t').where('id', bind('id')));

        expect(() => find.values({} as { id: string })).to.throw('the statement needs a value for id');
    });

    it('pad lists to a power of two with their last entry', () => {

        const find = builder('sqlite').list<'state', 'ids'>((knex, bind, list) => {

            return knex('t').whereIn('id', list('ids')).where('state', bind('state'));
        });

        const { sql, bindings } = find.step({ ids: ['a', 'b', 'c'], state: 'x' });

        expect(sql).to.equal('select * from `t` where `id` in (?, ?, ?, ?) and `state` = ?');
        expect(bindings).to.equal(['a', 'b', 'c', 'c', 'x']);
    });

    it('reject lists that are empty or too long', () => {

        const find = builder('sqlite').list<never, 'ids'>((knex, bind, list) => knex('t').whereIn('id', list('ids')));

        expect(() => find.step({ ids: [] })).to.throw(/list ids must have 1 to 512 entries, got 0/);
        expect(() => find.step({ ids: Array.from({ length: 513 }, String) })).to.throw(/got 513/);
    });

    it('store booleans as numbers', () => {

        const find = builder('mysql')((knex) => knex('t').where('is_version', true));

        expect(find.values({})).to.equal([1]);
    });
});
