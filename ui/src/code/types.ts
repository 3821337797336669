/** Properties of the code editor. */

/**
 * A message at a place of the text: by offset (0-based), by line and column (1-based), or in JSON by the pointer of a value, which is found
 * in the text as it is then. Without a place it is at the beginning.
 */
export interface CodeDiagnostic {
    readonly from?: number;
    readonly to?: number;
    readonly line?: number;
    readonly column?: number;
    readonly pointer?: string;
    readonly severity?: 'error' | 'warning' | 'info';
    readonly message: string;
}

/** A suggestion for the word at the cursor. */
export interface CodeCompletion {
    readonly label: string;
    readonly detail?: string;
    readonly info?: string;
    /** Text that is inserted instead of the label. */
    readonly apply?: string;
    readonly kind?: 'function' | 'method' | 'property' | 'variable' | 'keyword';
}

export interface CodeEditorProps {
    /** `text`: no language, in the font of the page. */
    readonly language: 'json' | 'javascript' | 'text';
    readonly value: string;
    readonly onChange?: (value: string) => void;
    /** What screen readers call the editor. */
    readonly label: string;
    readonly diagnostics?: readonly CodeDiagnostic[];
    readonly readOnly?: boolean;
    /** Suggestions for the text before the cursor, up to the start of the current word: `cordra.` for methods of `cordra`. */
    readonly complete?: (before: string) => readonly CodeCompletion[];
    /** Height: `fit` grows with the text, `tall` fills most of the screen. */
    readonly height?: 'fit' | 'tall';
    /** Attributes of the element that has the focus. */
    readonly attributes?: Readonly<Record<string, string>>;
    /** Where the user has begun to edit the text in another control. */
    readonly former?: FormerControl;
}

/** The state in which another control is left to the editor. */
export interface FormerControl {
    /** The text before the latest change, to which undo leads, and what was selected. */
    readonly text: string;
    readonly selection: readonly [from: number, to: number];
    /** Place of the cursor now. */
    readonly cursor: number;
    readonly hasFocus: boolean;
}
