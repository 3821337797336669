/**
 * Errors of reading or storing the index of a node. A separate file without the database, because the search and merge threads load
 * it.
 */

/** There is no disk space to store a segment. */
export class NoSpaceForSegment extends Error {}

/** Stored bytes are missing, or differ from those that were written. */
export class DamagedSegment extends Error {}

/** Another node removed the index of this node, or the log no longer has what it lacks: it has to be rebuilt. */
export class ForgottenIndex extends Error {}
