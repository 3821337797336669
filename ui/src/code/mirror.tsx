/** The code editor, by parts of CodeMirror 6. Its style sheets carry the nonce of the page. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, insertNewline, standardKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree } from '@codemirror/language';
import { forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import type { Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, StateEffect } from '@codemirror/state';
import type { Extension, Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { styleNonce } from '../config.js';
import { language as uiLanguage } from '../i18n/index.js';
import { locate } from '../json/locate.js';
import { serverText } from '../server-texts/index.js';
import { syntaxErrors } from './syntax-errors.js';
import { PHRASES, t } from './texts.js';
import type { CodeDiagnostic, CodeEditorProps, FormerControl } from './types.js';

/** Pause in typing before syntax errors are shown, in milliseconds. */
const PAUSE_MS = 400;

/** Spaces of an indentation. */
const INDENT = 2;

const COLOURS = HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--accent)' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--success)' },
    { tag: [tags.number, tags.bool, tags.null, tags.regexp], color: 'var(--warning)' },
    { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--accent-strong)', fontWeight: '600' },
    { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
    { tag: tags.invalid, color: 'var(--danger)' }
]);

const THEME = EditorView.theme({
    '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', border: '1px solid var(--control)', borderRadius: 'var(--radius)', fontSize: '.875rem' },
    '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
    '.cm-scroller': { fontFamily: 'var(--mono)', overflow: 'auto' },
    '.cm-content': { caretColor: 'var(--text)' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--page)', borderRight: '1px solid var(--line)' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
    '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
        backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)'
    },
    '.cm-tooltip, .cm-panels': { color: 'var(--text)', backgroundColor: 'var(--raised)', borderColor: 'var(--line)' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--on-accent)', backgroundColor: 'var(--accent)' },
    '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--control)' },
    '.cm-searchMatch': { backgroundColor: 'var(--warning-soft)', outline: '1px solid var(--warning)' },
    '.cm-foldPlaceholder': { color: 'var(--muted)', backgroundColor: 'var(--page)', borderColor: 'var(--line)' }
});

const TALL = EditorView.theme({ '&': { height: 'min(70vh, 50rem)' } });

const FIT = EditorView.theme({ '&': { maxHeight: 'min(70vh, 50rem)' }, '.cm-content': { minHeight: '8rem' } });

/** Makes the linter look at the text again, as there are other diagnostics. */
const checkAgain = StateEffect.define<null>();

/** What the extensions read: the properties of the latest rendering. */
interface Current {
    props: CodeEditorProps;
    /** The text as it was last reported or set. */
    text: string;
}

/** The editor. Load it by `CodeEditor`. */
export function Mirror(props: CodeEditorProps): JSX.Element {

    const host = useRef<HTMLDivElement>(null);
    const hint = useId();
    const view = useRef<EditorView | null>(null);
    const editable = useRef(new Compartment());
    const current = useRef<Current>({ props, text: props.value });
    current.current.props = props;
    // Before the browser paints: a key meanwhile would be lost.
    useLayoutEffect(() => {

        const { label, value } = current.current.props;
        const former = view.current === null ? current.current.props.former : undefined;
        const content = EditorView.contentAttributes.of(() => {

            const { 'aria-describedby': described = '', ...own } = current.current.props.attributes ?? {};
            return { 'tabindex': '0', 'aria-label': label, ...own, 'aria-describedby': `${described} ${hint}`.trim() };
        });
        const state = EditorState.create({
            doc: former?.text ?? value, ...former ? { selection: { anchor: former.selection[0], head: former.selection[1] } } : {},
            extensions: [extensionsFor(current.current), content, editable.current.of(access(props.readOnly))]
        });
        const editor = new EditorView({ state, ...host.current ? { parent: host.current } : {} });
        view.current = editor;
        if (former) {
            takeOver(editor, value, former);
        }

        return () => editor.destroy();
    }, [props.language, props.height, uiLanguage.value]);
    // Attributes are read with every update.
    useEffect(() => view.current?.dispatch({}), [JSON.stringify(props.attributes)]);
    useEffect(() => view.current?.dispatch({ effects: editable.current.reconfigure(access(props.readOnly)) }), [props.readOnly]);
    // Before the browser paints: later, the value may be older than what was typed meanwhile.
    useLayoutEffect(() => {

        const editor = view.current;
        if (editor && props.value !== current.current.text) {
            current.current.text = props.value;
            editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.value } });
        }
    }, [props.value]);
    useEffect(() => {

        if (view.current) {
            view.current.dispatch({ effects: checkAgain.of(null) });
            forceLinting(view.current);
        }
    }, [props.diagnostics]);
    return <div class="code"><div ref={host} /><p id={hint} class="visually-hidden">{t('leave')}</p></div>;
}

/** Goes on where another control was left: with its last change in the history, its cursor and its focus. */
function takeOver(editor: EditorView, value: string, { text, selection: [from, to], cursor, hasFocus }: FormerControl): void {

    const end = value.length - (text.length - to);
    const isInsertion = end >= from && value.startsWith(text.slice(0, from)) && value.endsWith(text.slice(to));
    const changes = isInsertion ? { from, to, insert: value.slice(from, end) } : { from: 0, to: text.length, insert: value };
    const anchor = Math.min(cursor, value.length);
    editor.dispatch({ changes, selection: { anchor }, effects: EditorView.scrollIntoView(anchor), userEvent: 'input.paste' });
    if (hasFocus) {
        editor.focus();
    }
}

function access(isReadOnly = false): Extension {

    return [EditorState.readOnly.of(isReadOnly), EditorView.editable.of(true)];
}

function extensionsFor(current: Current): Extension {

    const { language, height = 'fit' } = current.props;
    return [
        EditorView.cspNonce.of(styleNonce()), EditorState.phrases.of(PHRASES[uiLanguage.value] ?? {}), THEME, height === 'tall' ? TALL : FIT,
        highlightSpecialChars(), drawSelection(), history(), search({ top: true }), EditorView.lineWrapping,
        language === 'text' ? PLAIN : codeExtensions(language, current),
        EditorView.updateListener.of(({ docChanged, state }) => {

            const text = docChanged ? state.doc.toString() : current.text;
            if (text !== current.text) {
                current.text = text;
                current.props.onChange?.(text);
            }
        })
    ];
}

/** What a text without a language needs: keys as in a text area. */
const PLAIN: Extension = [
    EditorView.theme({ '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.4' } }),
    EditorView.contentAttributes.of({ spellcheck: 'true', autocorrect: 'on', autocapitalize: 'sentences' }),
    keymap.of([{ key: 'Enter', run: insertNewline, shift: insertNewline }, ...searchKeymap, ...historyKeymap, ...standardKeymap])
];

function codeExtensions(language: 'json' | 'javascript', current: Current): Extension {

    return [
        lineNumbers(), foldGutter(), lintGutter(), highlightActiveLine(), highlightSelectionMatches(),
        indentOnInput(), indentUnit.of(' '.repeat(INDENT)), bracketMatching(), closeBrackets(),
        syntaxHighlighting(COLOURS), language === 'json' ? json() : javascript(),
        autocompletion({ ...current.props.complete ? { override: [(context) => completions(context, current)] } : {} }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap]),
        linter(({ state }) => diagnosticsOf(state, language, current.props), {
            delay: PAUSE_MS, needsRefresh: ({ startState, state, transactions }) =>
                // Code is checked again when more of it is parsed.
                language === 'javascript' && syntaxTree(startState) !== syntaxTree(state) ||
                transactions.some(({ effects }) => effects.some((effect) => effect.is(checkAgain)))
        })
    ];
}

function completions(context: CompletionContext, { props: { complete } }: Current): CompletionResult | null {

    const word = context.matchBefore(/[\w$]{1,100}/);
    const from = word?.from ?? context.pos;
    const before = context.state.sliceDoc(Math.max(0, from - 1000), from);
    if (!complete || !context.explicit && !word && !before.endsWith('.')) {
        return null;
    }

    const options = complete(before).map(({ kind, ...option }) => ({ ...option, ...kind ? { type: kind } : {} }));
    return options.length === 0 ? null : { from, options, validFor: /^[\w$]*$/ };
}

/** Syntax errors, and what the caller has to say. Pointers lead nowhere in a text that is no JSON. */
function diagnosticsOf(state: EditorState, language: 'json' | 'javascript', { diagnostics = [] }: CodeEditorProps): Diagnostic[] {

    const errors = syntaxErrors(state, language);
    const placed = diagnostics.filter(({ pointer }) => pointer === undefined);
    const pointed = errors.length === 0 ? diagnostics.filter(({ pointer }) => pointer !== undefined) : [];
    const ranges = pointed.length === 0 ? [] : locate(state.doc.toString(), pointed.map(({ pointer = '' }) => pointer));
    return [...errors, ...given(state.doc, [...placed, ...pointed.map((diagnostic, i) => ({ ...diagnostic, ...ranges[i] }))])];
}

/** Diagnostics of the caller; places beyond the text are moved into it. */
function given(doc: Text, diagnostics: readonly CodeDiagnostic[]): Diagnostic[] {

    return diagnostics.map((diagnostic) => {

        const from = Math.min(doc.length, startOf(doc, diagnostic));
        const to = Math.min(doc.length, Math.max(from, diagnostic.to ?? doc.lineAt(from).to));
        return { from, to, severity: diagnostic.severity ?? 'error', message: serverText(diagnostic.message) };
    });
}

function startOf(doc: Text, { from, line, column = 1 }: CodeDiagnostic): number {

    if (from !== undefined || line === undefined) {
        return Math.max(0, from ?? 0);
    }

    const found = doc.line(Math.min(doc.lines, Math.max(1, line)));
    return Math.min(found.to, found.from + Math.max(1, column) - 1);
}
