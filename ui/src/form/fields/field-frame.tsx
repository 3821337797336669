/** What surrounds a control: its label, description and messages. */

import type { ComponentChildren, JSX } from 'preact';
import { serverText } from '../../server-texts/index.js';
import { idOf } from '../context.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';

/** Messages of a node. Read aloud when they appear. */
export function FieldErrors({ node }: { readonly node: FormNode }): JSX.Element {

    const messages = [...node.problem.value === null ? [] : [node.problem.value], ...node.errors.value.map(serverText)];
    return (
        <div id={`${idOf(node)}-e`} class="form-errors">
            {messages.map((message) => <p key={message} class="form-error" dir="auto">{message}</p>)}
        </div>
    );
}

/** The star of fields that are required. Controls say it to screen readers. */
export function RequiredMark({ isRequired }: { readonly isRequired: boolean }): JSX.Element | null {

    return isRequired ? <span class="form-required" title={t('required')} aria-hidden="true"> *</span> : null;
}

/** Labels lead to controls by themselves, but not to editors. */
function focusEditor(id: string): void {

    const target = document.getElementById(id);
    if (target?.isContentEditable === true) {
        target.focus();
    }
}

interface FrameProps {
    readonly node: FormNode;
    readonly label: string;
    readonly description: string | undefined;
    readonly isRequired: boolean;
    /** True where the control has a label of its own. */
    readonly isLabelled?: boolean;
    /** True for controls that consist of several. */
    readonly isGroup?: boolean;
    /** Beside the label. */
    readonly aside?: ComponentChildren;
    readonly children: ComponentChildren;
}

/** The frame of a control. */
export function FieldFrame({ node, label, description, isRequired, isLabelled = false, isGroup = false, aside, children }: FrameProps): JSX.Element {

    const id = idOf(node);
    const text = <>{label}<RequiredMark isRequired={isRequired} /></>;
    return (
        <div class="form-field" {...isGroup ? { 'role': 'group', 'aria-labelledby': `${id}-l` } : {}}>
            {(!isLabelled || aside) && (
                <div class="form-label">
                    {!isLabelled && (isGroup ? <span id={`${id}-l`} dir="auto">{text}</span> : <label for={id} dir="auto" onClick={() => focusEditor(id)}>{text}</label>)}
                    {aside}
                </div>
            )}
            {description !== undefined && <p id={`${id}-d`} class="form-description" dir="auto">{description}</p>}
            {children}
            <FieldErrors node={node} />
        </div>
    );
}
