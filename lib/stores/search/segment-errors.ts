/**
 * Why the index of a node cannot be read or stored. In a file of its own, without the database: threads that search or merge
 * load it, too.
 */

/** There is no room to store a segment. */
export class NoRoomForSegment extends Error {}

/** A part does not have the bytes that were written. */
export class DamagedSegment extends Error {}

/** The index of the node was forgotten by others, or what it lacks was removed from the log: it can only be built anew. */
export class ForgottenIndex extends Error {}
