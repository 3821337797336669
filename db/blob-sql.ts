/**
 * SQL about chunks that both dialects understand.
 */

/** Jumps from blob to blob by the index, where `distinct` would visit every chunk. Both dialects understand it. */
export const LIST_BLOBS = 'with recursive ids (id) as (' +
    'select min(blob_id) from blob_chunks where blob_id > ? union all ' +
    'select (select min(blob_id) from blob_chunks where blob_id > ids.id) from ids where ids.id is not null' +
    ') select id from ids where id is not null limit ?';
