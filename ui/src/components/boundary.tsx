/** What is shown instead of a part of the page that fails: the rest of the page goes on. */

import { Component } from 'preact';
import type { ComponentChildren, JSX } from 'preact';
import { defineTexts } from '../i18n/index.js';
import { ErrorBox } from './feedback.js';

const t = defineTexts({
    en: { failed: 'This cannot be shown, as the page has a fault: {reason}' },
    de: { failed: 'Das kann nicht angezeigt werden, denn die Seite hat einen Fehler: {reason}' },
    fr: { failed: 'Ceci ne peut pas être affiché, car la page a un défaut : {reason}' }
});

interface BoundaryProps {
    /** Another address is another attempt. */
    readonly address: string;
    readonly children: ComponentChildren;
}

interface BoundaryState {
    readonly error: Error | null;
}

/** Catches what goes wrong while its children are rendered. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {

    override state: BoundaryState = { error: null };

    static override getDerivedStateFromError(error: unknown): BoundaryState {

        return { error: error instanceof Error ? error : new Error(String(error)) };
    }

    override componentDidCatch(error: unknown): void {

        // For those who look for the cause.
        console.error(error);
    }

    override componentDidUpdate({ address }: BoundaryProps): void {

        if (this.state.error && address !== this.props.address) {
            this.setState({ error: null });
        }
    }

    override render({ children }: BoundaryProps, { error }: BoundaryState): JSX.Element {

        return error ? <ErrorBox message={t('failed', { reason: error.message })} onRetry={() => this.setState({ error: null })} /> : <>{children}</>;
    }
}
