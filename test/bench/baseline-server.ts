/**
 * What the service is compared with: the same hapi with an empty route that answers a ready string, and one that does a
 * single bare insert with commit by knex into the same kind of database.
 *
 *     node baseline-server.js <bytes of the answer>      DATA_DIR or DATABASE_URL as for the service
 */

import { join } from 'node:path';
import * as Hapi from '@hapi/hapi';
import { knex as makeKnex } from 'knex';
import type { Knex } from 'knex';

async function main(): Promise<void> {

    const answer = JSON.stringify({ text: 'x'.repeat(Number(process.argv[2]) - 11) });
    const db = await openTable();
    const server = Hapi.server({ port: 0, host: '127.0.0.1' });
    server.route([
        {
            method: 'GET', path: '/empty',
            handler: (_request, h) => h.response(answer).type('application/json')
        },
        {
            method: 'POST', path: '/insert',
            options: { payload: { parse: true, maxBytes: 1_000_000 } },
            handler: async (request) => {

                await db('bare').insert({ text: JSON.stringify(request.payload) });
                return {};
            }
        }
    ]);
    await server.start();
    console.log(server.info.uri);
    process.once('SIGTERM', () => void server.stop().then(() => db.destroy()));
}

async function openTable(): Promise<Knex> {

    const { DATABASE_URL, DATA_DIR } = process.env;
    const db = DATABASE_URL ?
        makeKnex({ client: 'mysql2', connection: DATABASE_URL, pool: { min: 0, max: 10 } }) :
        makeKnex({
            client: 'better-sqlite3', connection: { filename: join(DATA_DIR ?? '.', 'bare.sqlite') }, useNullAsDefault: true,
            pool: {
                min: 1, max: 1,
                afterCreate: (connection: { pragma(text: string): void }, done: (error: null, connection: unknown) => void) => {

                    connection.pragma('journal_mode = WAL');
                    connection.pragma('synchronous = FULL');
                    done(null, connection);
                }
            }
        });
    await db.schema.dropTableIfExists('bare');
    await db.schema.createTable('bare', (table) => {

        table.bigIncrements('id');
        table.text('text', 'longtext');
    });
    return db;
}

if (require.main === module) {
    void main();
}
