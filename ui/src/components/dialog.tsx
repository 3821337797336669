/** Dialogs: the browser's own, which keeps the focus inside and closes by Escape. */

import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { Icon } from './icon.js';

const t = defineTexts({ en: { close: 'Close' }, de: { close: 'Schließen' }, fr: { close: 'Fermer' } });

/** Properties of a dialog. It is open as long as it is part of the page. */
interface DialogProps {
    readonly title: string;
    readonly children: ComponentChildren;
    /** Called by Escape, and by the button for it; the dialog must then be removed from the page, unless it has to stay. */
    readonly onClose: () => void;
    /** False while it has to stay: neither Escape nor the button calls `onClose` then. */
    readonly isClosable?: boolean;
    readonly size?: 'small' | 'large';
}

/** Focuses the element that had the focus; the heading, once that element is gone, as lists are read again after a change. */
function returnFocus(before: Element | null): void {

    if (!(before instanceof HTMLElement) || before === document.body) {
        return;
    }

    const follow = (): void => {

        if (!before.isConnected) {
            end();
            focusHeading();
        }
    };

    const observer = new MutationObserver(follow);
    const end = (): void => {

        observer.disconnect();
        document.removeEventListener('focusin', end);
    };

    before.focus();
    document.addEventListener('focusin', end);
    observer.observe(document.body, { childList: true, subtree: true });
    follow();
}

/** Focuses the heading of the dialog that is open, or of the screen, unless something else has the focus. */
function focusHeading(): void {

    const [open = null] = [...document.querySelectorAll('dialog[open]')].slice(-1);
    const heading = open?.querySelector('h2') ?? document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
    const active = document.activeElement;
    // A dialog that is being removed may still have the focus.
    if (heading && (active === null || active === document.body || active.closest('dialog:not([open])'))) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
    }
}

/** A modal dialog. */
export function Dialog({ title, children, onClose, isClosable = true, size = 'small' }: DialogProps): JSX.Element {

    const ref = useRef<HTMLDialogElement>(null);
    const id = useId();
    // At once: before the next frame, the focus may have gone elsewhere.
    useLayoutEffect(() => {

        const dialog = ref.current;
        const before = document.activeElement;
        dialog?.showModal();
        return () => {

            dialog?.close();
            returnFocus(before);
        };
    }, []);
    const cancel = (event: Event): void => {

        // That of a file picker inside bubbles.
        if (event.target !== event.currentTarget) {
            return;
        }

        event.preventDefault();
        if (isClosable) {
            onClose();
        }
    };

    // Chrome closes a dialog by a second Escape without asking; whether it goes is the decision of its owner.
    const closed = (): void => {

        if (ref.current?.isConnected === true && !ref.current.open) {
            ref.current.showModal();
            if (isClosable) {
                onClose();
            }
        }
    };

    return (
        <dialog ref={ref} class={`dialog ${size}`} aria-labelledby={id} onCancel={cancel} onClose={closed}>
            <div class="dialog-head">
                <h2 id={id}>{title}</h2>
                <button type="button" class="quiet icon-button" aria-label={t('close')} disabled={!isClosable} onClick={onClose}><Icon name="close" /></button>
            </div>
            {children}
        </dialog>
    );
}
