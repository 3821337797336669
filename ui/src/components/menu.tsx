/** A button that opens a list of actions and links. */

import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.js';

/** An entry of a menu: a link with `href`, else an action. */
export interface MenuItem {
    readonly label: string;
    readonly href?: string;
    readonly onSelect?: () => void;
    readonly isDangerous?: boolean;
    readonly isSelected?: boolean;
}

interface MenuProps {
    /** What the button shows. */
    readonly children: ComponentChildren;
    /** Name of the button, where it shows only an icon. */
    readonly label?: string;
    readonly items: readonly MenuItem[];
    readonly class?: string;
}

/** A menu, operated by arrow keys, Home, End, Escape and Tab like the menus of the system. */
export function Menu({ children, label, items, class: className = '' }: MenuProps): JSX.Element {

    const [isOpen, setOpen] = useState(false);
    const root = useRef<HTMLDivElement>(null);
    const id = useId();
    const entries = (): HTMLElement[] => [...root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []];
    // At once: an entry may be chosen before the next frame, and then the focus must not come back to the menu.
    useLayoutEffect(() => {

        if (!isOpen) {
            return;
        }

        entries()[0]?.focus();
        const close = ({ target }: Event): void => {

            if (!root.current?.contains(target as Node)) {
                setOpen(false);
            }
        };

        document.addEventListener('pointerdown', close);
        document.addEventListener('focusin', close);
        return () => {

            document.removeEventListener('pointerdown', close);
            document.removeEventListener('focusin', close);
        };
    }, [isOpen]);

    /** Closes it. The entry that has the focus goes: an action begins at the button, to which a dialog returns. */
    const close = (isLeft: boolean): void => {

        if (!isLeft) {
            root.current?.querySelector('button')?.focus();
        }

        setOpen(false);
    };

    const move = (event: KeyboardEvent): void => {

        const all = entries();
        const at = all.indexOf(document.activeElement as HTMLElement);
        const targets: Readonly<Record<string, number>> = {
            ArrowDown: (at + 1) % all.length, ArrowUp: (at - 1 + all.length) % all.length, Home: 0, End: all.length - 1
        };
        if (event.key === 'Escape') {
            event.stopPropagation();
            close(false);
        }
        else if (event.key in targets) {
            event.preventDefault();
            all[targets[event.key] ?? 0]?.focus();
        }
    };

    return (
        <div class={`menu ${className}`} ref={root} onKeyDown={(event) => isOpen && move(event)}>
            <button type="button" class="quiet" aria-haspopup="menu" aria-expanded={isOpen} aria-controls={id} aria-label={label} onClick={() => setOpen(!isOpen)}>
                {children}<Icon name="down" />
            </button>
            {isOpen && (
                <ul id={id} role="menu" class="menu-list" aria-label={label}>
                    {items.map((item) => <Entry key={item.label + (item.href ?? '')} item={item} onDone={close} />)}
                </ul>
            )}
        </div>
    );
}

function Entry({ item, onDone }: { readonly item: MenuItem; readonly onDone: (isLeft: boolean) => void }): JSX.Element {

    const { label, href, onSelect, isDangerous, isSelected } = item;
    const select = (): void => {

        onDone(href !== undefined);
        onSelect?.();
    };

    return (
        <li role="none">
            {href === undefined ?
                <button type="button" role="menuitem" tabIndex={-1} class={isDangerous ? 'danger-text' : ''} aria-current={isSelected === true ? 'true' : undefined} onClick={select}>{isSelected && <Icon name="check" />}{label}</button> :
                <a role="menuitem" tabIndex={-1} href={href} onClick={select} dir="auto">{label}</a>}
        </li>
    );
}
