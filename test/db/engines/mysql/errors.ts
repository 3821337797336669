/** What errors of MySQL and MariaDB mean, by number and code; some of them cannot be had from a server that is well. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { MysqlErrorKind } from '../../../../db/engines/mysql/errors.js';
import { mysqlErrorKind } from '../../../../db/engines/mysql/errors.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('an error of a MySQL server', () => {

    const table: [error: { errno?: number; code?: string; fatal?: boolean; message?: string }, fault: MysqlErrorKind][] = [
        [{ errno: 1062, message: 'Duplicate entry \'error 28\' for key \'PRIMARY\'' }, 'duplicate'],
        [{ errno: 1040, message: 'Too many connections' }, 'no-connection'],
        [{ errno: 1226, message: 'User \'u\' has exceeded the \'max_user_connections\' resource (current value: 3)' }, 'no-connection'],
        [{ message: 'Queue limit reached.' }, 'no-connection'],
        [{ errno: 1290, message: 'The MariaDB server is running with the --read-only option so it cannot execute this statement' }, 'read-only'],
        [{ errno: 1290, message: 'The MySQL server is running with the --super-read-only option so it cannot execute this statement' }, 'read-only'],
        [{ errno: 1290, message: 'The MariaDB server is running with the --secure-file-priv option so it cannot execute this statement' }, 'refused'],
        [{ errno: 1792, message: 'Cannot execute statement in a READ ONLY transaction' }, 'read-only'],
        [{ errno: 1836, message: 'Running in read-only mode' }, 'read-only'],
        [{ errno: 1213, message: 'Deadlock found when trying to get lock' }, 'rolled-back'],
        [{ errno: 1927, message: 'Connection was killed' }, 'lost'],
        [{ errno: 1317, message: 'Query execution was interrupted' }, 'lost'],
        [{ errno: 1180, message: 'Got error 103 "Software caused connection abort" during COMMIT' }, 'lost'],
        [{ errno: 1180, message: 'Got error 28 "No space left on device" during COMMIT' }, 'lost'],
        [{ errno: 1598, message: 'Binary logging not possible. Message: An error occurred during flush stage of the commit. Hence aborting the server.' }, 'lost'],
        [{ errno: 1181, message: 'Got error 103 "Software caused connection abort" during ROLLBACK' }, 'lost'],
        [{ errno: 1184, message: 'Aborted connection 7 to db: \'d\' user: \'u\' host: \'h\' (init_connect command failed)' }, 'lost'],
        [{ errno: 1969, message: 'Query execution was interrupted (max_statement_time exceeded)' }, 'timed-out'],
        [{ errno: 3024, message: 'Query execution was interrupted, maximum statement execution time exceeded' }, 'timed-out'],
        [{ errno: 4031, message: 'The client was disconnected by the server because of inactivity.' }, 'lost'],
        [{ errno: 3100, message: 'Error on observer while running replication hook \'before_commit\'.' }, 'lost'],
        [{ errno: 3101, message: 'Plugin instructed the server to rollback the current transaction.' }, 'rolled-back'],
        [{ code: 'ECONNRESET' }, 'lost'],
        [{ fatal: true }, 'lost'],
        [{ errno: 1114, message: 'The table \'blob_chunks\' is full' }, 'full'],
        [{ errno: 1021, message: 'Disk full (/tmp/#sql-temptable); waiting for someone to free some space' }, 'full'],
        [{ errno: 1026, message: 'Error writing file \'/tmp/MLfd=40\' (Errcode: 28 "No space left on device")' }, 'full'],
        [{ errno: 3, message: 'Error writing file \'./binlog.000002\' (Errcode: 28 "No space left on device")' }, 'full'],
        [{ errno: 3, message: 'Error writing file \'./binlog.000002\' (OS errno 28 - No space left on device)' }, 'full'],
        [{ errno: 1598, message: 'Binary logging not possible. Message: ./binlog.000002 (Errcode: 28 "No space left on device")' }, 'full'],
        [{ errno: 1030, message: 'Got error 28 "No space left on device" from storage engine InnoDB' }, 'full'],
        [{ errno: 1030, message: 'Got error 122 "Disk quota exceeded" from storage engine InnoDB' }, 'full'],
        [{ errno: 1030, message: 'Got error 168 "Unknown (generic) error from engine" from storage engine InnoDB' }, 'refused'],
        [{ errno: 9007, message: 'Write conflict, txnStartTS=1, conflictStartTS=2, conflictCommitTS=3' }, 'rolled-back'],
        [{ errno: 8022, message: 'Error: KV error safe to retry [try again later]' }, 'rolled-back'],
        [{ errno: 8028, message: 'Information schema is changed during the execution of the statement' }, 'rolled-back'],
        [{ errno: 8501, message: 'execution result undetermined' }, 'lost'],
        [{ errno: 9002, message: 'TiKV server timeout' }, 'lost'],
        [{ errno: 8025, message: 'entry too large, the max entry size is 6291456, the size of data is 7340038' }, 'too-large'],
        [{ errno: 8004, message: 'Transaction is too large, size: 104857600' }, 'too-large'],
        [{ errno: 1153, message: 'Got a packet bigger than \'max_allowed_packet\' bytes' }, 'too-large'],
        [{ errno: 1064, message: 'You have an error in your SQL syntax' }, 'refused']
    ];
    for (const [error, fault] of table) {
        it(`is "${fault}" with ${JSON.stringify(error)}`, () => {

            expect(mysqlErrorKind(Object.assign(new Error(error.message), error))).to.equal(fault);
        });
    }
});
