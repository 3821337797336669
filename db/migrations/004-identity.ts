/**
 * Accounts, groups, secrets and tokens. Secrets are stored as hashes, and nothing here is ever part of the content of an object.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const identity: Migration = {
    name: '004-identity',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // Account data of a user object. `public_key` is a JWK.
            accounts(table) {

                columns.key(table, 'user_id').notNullable().primary();
                columns.text(table, 'username');
                columns.number(table, 'active').notNullable();
                columns.number(table, 'must_change_password').notNullable();
                columns.text(table, 'public_key');
            },
            // Login names, in lower case; unique by the primary key.
            usernames(table) {

                columns.key(table, 'name').notNullable().primary();
                columns.key(table, 'user_id').notNullable();
                table.unique(['user_id'], { indexName: 'usernames_user_id' });
            },
            credentials(table) {

                columns.key(table, 'user_id').notNullable().primary();
                columns.text(table, 'record').notNullable();
            },
            // Other secure properties; by SHA-256 of the pointer, which can be longer than a key.
            secrets(table) {

                columns.key(table, 'object_id').notNullable();
                columns.key(table, 'pointer_hash').notNullable();
                columns.text(table, 'record').notNullable();
                table.primary(['object_id', 'pointer_hash']);
            },
            group_members(table) {

                columns.key(table, 'group_id').notNullable();
                columns.key(table, 'member_id').notNullable();
                table.primary(['group_id', 'member_id']);
                table.index(['member_id', 'group_id'], 'group_members_member_id');
            },
            // Access tokens and sessions by the SHA-256 of their value; `csrf` likewise. `facts` came from an authenticate hook.
            tokens(table) {

                columns.key(table, 'hash').notNullable().primary();
                columns.key(table, 'kind').notNullable();
                columns.key(table, 'user_id').notNullable();
                columns.key(table, 'csrf');
                columns.number(table, 'created_on').notNullable();
                columns.number(table, 'last_used').notNullable();
                columns.number(table, 'expires_on');
                columns.text(table, 'facts');
                table.index(['user_id'], 'tokens_user_id');
                table.index(['last_used'], 'tokens_last_used');
            },
            // Used assertions (JWT), by a hash of issuer and `jti`, until they expire.
            jti(table) {

                columns.key(table, 'hash').notNullable().primary();
                columns.number(table, 'expires_on').notNullable();
                table.index(['expires_on'], 'jti_expires_on');
            },
            // Consecutive failed logins, by a hash of the name and of the source address.
            back_off(table) {

                columns.key(table, 'hash').notNullable().primary();
                columns.number(table, 'failures').notNullable();
                columns.number(table, 'last_failure').notNullable();
                table.index(['last_failure'], 'back_off_last_failure');
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, [
            'back_off', 'jti', 'tokens', 'group_members', 'secrets', 'credentials', 'usernames', 'accounts'
        ]);
    }
};
