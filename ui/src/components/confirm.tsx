/** A question before something that cannot be undone. Once it is confirmed it stays until the service has answered: what was sent cannot be called back. */

import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { textOf } from '../state/messages.js';
import { Dialog } from './dialog.js';
import { ErrorBox } from './feedback.js';

const t = defineTexts({
    en: { cancel: 'Cancel', discard: 'What you have entered is not saved. Close all the same?' },
    de: { cancel: 'Abbrechen', discard: 'Was Sie eingegeben haben, ist nicht gespeichert. Trotzdem schließen?' },
    fr: { cancel: 'Annuler', discard: 'Ce que vous avez saisi n’est pas enregistré. Fermer quand même ?' }
});

/** Characters that somebody has entered, from which on Escape does not close a dialog without a question. */
const MUCH = 30;

interface ConfirmProps {
    readonly title: string;
    readonly children?: ComponentChildren;
    /** Text of the button that does it. */
    readonly action: string;
    readonly isDangerous?: boolean;
    /** False while that is read without which it cannot be done. */
    readonly isReady?: boolean;
    /** True when the dialog is not closed after it was done: its owner does. */
    readonly staysOpen?: boolean;
    /** Does it. An error is shown in the dialog, which then stays open. */
    readonly onConfirm: () => void | Promise<void>;
    readonly onClose: () => void;
}

/** Asks whether to go on. */
export function Confirm({ title, children, action, isDangerous = false, isReady = true, staysOpen = false, onConfirm, onClose }: ConfirmProps): JSX.Element {

    const [state, setState] = useState<{ readonly isBusy: boolean; readonly error: string | null }>({ isBusy: false, error: null });
    const confirm = async (event: Event): Promise<void> => {

        event.preventDefault();
        setState({ isBusy: true, error: null });
        try {
            await onConfirm();
            if (!staysOpen) {
                onClose();
            }
        }
        catch (error) {
            setState({ isBusy: false, error: textOf(error) });
        }
    };

    const entered = useRef(0);
    const close = (): void => {

        if (entered.current < MUCH || window.confirm(t('discard'))) {
            onClose();
        }
    };

    return (
        <Dialog title={title} isClosable={!state.isBusy} onClose={close}>
            <form class="stack" onInput={(event) => (entered.current += enteredBy(event))} onSubmit={(event) => void confirm(event)}>
                {children}
                {state.error !== null && <ErrorBox message={state.error} />}
                <div class="actions">
                    <button type="button" disabled={state.isBusy} onClick={onClose}>{t('cancel')}</button>
                    <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={!isReady || state.isBusy}>{action}</button>
                </div>
            </form>
        </Dialog>
    );
}

/** Characters that an event has entered. */
function enteredBy({ data = null, inputType = '', target }: Partial<InputEvent>): number {

    if (typeof data === 'string') {
        return data.length;
    }

    // What is pasted or dropped comes at once.
    return inputType.startsWith('insertFrom') && (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) ? target.value.length : 1;
}
