/** All messages of a form, as links to their fields. */

import type { JSX } from 'preact';
import { idOf, useForm } from './context.js';
import { parsePointer } from '../json/pointer.js';
import { serverText } from '../server-texts/index.js';
import { pointerOf } from './store/form-store.js';
import type { FormError } from './store/form-store.js';
import type { FormNode } from './store/form-node.js';
import { t } from './texts.js';

/** Frames in which a field that was hidden must appear. */
const MAX_FRAMES = 30;

/** Messages that are listed. */
const MAX_LISTED = 30;

/** Moves the focus to the field of a node, or to the nearest one around it that has a control of its own. */
export function focusNode(node: FormNode, frames = MAX_FRAMES): void {

    const find = (): HTMLElement | null => document.getElementById(idOf(node));
    const element = find();
    if (element || frames === 0) {
        for (let outer: FormNode | null = node; outer; outer = outer.parent) {
            const target = document.getElementById(idOf(outer));
            if (target) {
                target.focus();
                target.scrollIntoView({ block: 'center' });
                return;
            }
        }
    }
    else {
        requestAnimationFrame(() => focusNode(node, frames - 1));
    }
}

/** A message, and the node of a text that is no value. */
interface Listed extends FormError {
    readonly node?: FormNode;
}

/** The list. It is empty, and takes no room, without messages. */
export function ErrorSummary({ isTried }: { readonly isTried: boolean }): JSX.Element {

    const { store } = useForm();
    const problems = isTried ? [...store.problems.value].map((node) => ({ node, pointer: pointerOf(node), message: node.problem.value ?? '' })) : [];
    const errors: readonly Listed[] = [...problems, ...store.errors.value.map((error) => ({ ...error, message: serverText(error.message) }))];
    const go = (event: Event, { pointer, node = store.nodeAt(pointer) }: Listed): void => {

        event.preventDefault();
        store.reveal(node);
        focusNode(node);
    };

    return (
        <div class="form-summary" role="status">
            {errors.length > 0 && (
                <div class="box error">
                    <div class="grow">
                        <p>{t('errors', { count: errors.length })}</p>
                        <ul>
                            {errors.slice(0, MAX_LISTED).map((error) => (
                                <li key={`${error.pointer} ${error.message}`}>
                                    {error.pointer === '' && error.node?.isName !== true ? <span dir="auto">{error.message}</span> :
                                        <button type="button" class="link" dir="auto" onClick={(event) => go(event, error)}>{error.pointer === '' ? '' : `${nameOf(error)}: `}{error.message}</button>}
                                </li>
                            ))}
                            {errors.length > MAX_LISTED && <li>…</li>}
                        </ul>
                    </div>
                </div>
            )}
        </div>
    );
}

/** The place of an error in words: names and positions. */
function nameOf({ pointer }: FormError): string {

    return parsePointer(pointer).map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part)).join(' › ');
}
