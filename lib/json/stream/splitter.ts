/**
 * Interface of the splitters of long JSON texts.
 */

/** One item of the text. */
export interface JsonItem {
    /** 0-based. */
    readonly position: number;
    /** Start in the text, in bytes. */
    readonly offset: number;
    /** Length in bytes. */
    readonly length: number;
    /** Null when it exceeds the limit. */
    readonly bytes: Buffer | null;
}

/** Splits a text that arrives in chunks. */
export interface JsonSplitter {
    /** Returns the items that end in this chunk. Must be iterated to the end before the next chunk. Throws DoipError 400 for a syntax error. */
    split(chunk: Uint8Array): Generator<JsonItem>;
    /** Returns the items that the end of the text completes. Throws DoipError 400 when the text is incomplete. */
    end(): Generator<JsonItem>;
}
