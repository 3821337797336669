/**
 * What cuts a long JSON text into its items.
 */

/** One item of the text. */
export interface JsonItem {
    /** 0-based. */
    readonly position: number;
    /** Where it begins, in bytes from the start of the text. */
    readonly offset: number;
    /** Its length. */
    readonly length: number;
    /** Null when it is longer than allowed. */
    readonly bytes: Buffer | null;
}

/** Takes a text apart piece by piece. */
export interface JsonSplitter {
    /** The items that end in this piece. Must be run to its end before the next piece. Throws 400 where the text breaks. */
    take(piece: Uint8Array): Generator<JsonItem>;
    /** The items that the end of the text ends. Throws 400 when the text must not end here. */
    end(): Generator<JsonItem>;
}
