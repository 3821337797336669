/** A search for users and groups, which adds each that is chosen to something. Any id can be entered as well. */

import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Suggestion } from '../../components/combobox.js';
import { ObjectPicker } from '../../components/object-picker.js';
import { design } from '../../state/design.js';
import { groupTypes, userTypes } from './accounts.js';

interface PickerProps {
    readonly label: string;
    /** Ids that are chosen already. */
    readonly without?: readonly string[];
    /** Suggestions that are no objects, such as `public`. */
    readonly words?: readonly Suggestion[];
    readonly isUsersOnly?: boolean;
    /** Only ids with this beginning. */
    readonly prefix?: string;
    readonly onChoose: (id: string) => void;
}

export function PersonPicker({ label, without = [], words = [], isUsersOnly = false, prefix = '', onChoose }: PickerProps): JSX.Element {

    const id = useId();
    const schemas = design.value?.schemas ?? {};
    const types = [...userTypes(schemas), ...isUsersOnly ? [] : groupTypes(schemas, '')].map(({ type }) => type);
    const choose = (chosen: string): void => {

        if (chosen !== '' && !without.includes(chosen)) {
            onChoose(chosen);
        }
    };

    return (
        <div>
            <label for={id}>{label}</label>
            <ObjectPicker id={id} label={null} value="" types={types} prefix={prefix} fixed={words.filter((word) => !without.includes(word.id))} onChange={choose} />
        </div>
    );
}
