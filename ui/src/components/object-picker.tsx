/** A field for the id of an object: it searches while the user types, and shows labels. */

import type { JSX } from 'preact';
import { getJson } from '../api/client.js';
import { labelOf, readLabels } from '../state/labels.js';
import { idIn } from '../shell/links.js';
import { Combobox, type ComboboxInput, type Suggestion } from './combobox.js';
import { objectQuery, type ObjectFilter } from './object-query.js';

/** Suggestions at a time. */
const MAX_SUGGESTIONS = 12;

interface ObjectPickerProps extends ComboboxInput {
    /** Name of the field; null where a label element names it by `id`. */
    readonly label: string | null;
    /** The id; empty for none. */
    readonly value: string;
    /** Called with another id, or an empty one when the user has emptied the field. */
    readonly onChange: (id: string) => void;
    /** Only objects of these types, if there are any. */
    readonly types?: readonly string[];
    readonly excludeTypes?: readonly string[];
    /** Suggestions besides objects, which come first. */
    readonly fixed?: readonly Suggestion[];
    /** Only ids with this beginning are suggested and taken. */
    readonly prefix?: string;
}

/**
 * The field. A text that looks like an id is taken as it is, also if the search does not find it: the service decides.
 *
 * @example
 * <ObjectPicker label="Author" value={id} types={['Person']} onChange={setId} />
 */
export function ObjectPicker({ value, onChange, types = [], excludeTypes = [], fixed = [], prefix = '', ...rest }: ObjectPickerProps): JSX.Element {

    const known = fixed.find(({ id }) => id === value)?.label;
    const text = value === '' ? '' : known ?? labelOf(value).value?.label ?? value;
    const suggest = async (typed: string, signal: AbortSignal): Promise<readonly Suggestion[]> => {

        const shown = fixed.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
        return [...shown, ...await findObjects(typed, { types, excludeTypes, prefix }, signal)];
    };

    const take = (typed: string): void => {

        const id = typed === '' ? '' : idIn(typed);
        if (id === '' || id?.startsWith(prefix) === true) {
            onChange(id);
        }
    };

    return <Combobox {...rest} text={text} suggest={suggest} onPick={({ id }) => onChange(id)} onText={take} />;
}

interface Found {
    readonly results: readonly { readonly id: string; readonly type: string }[];
}

/** Objects whose words begin with those of a text, with their labels and types. @throws RepositoryError */
export async function findObjects(
    text: string, filter: ObjectFilter = {}, signal?: AbortSignal
): Promise<readonly Suggestion[]> {

    const query = objectQuery(text, filter);
    const parameters = { query, pageSize: MAX_SUGGESTIONS, filter: '["/id","/type"]' };
    const page = await getJson<Found>('/search', parameters, signal);
    // The search does not tell small letters from capitals.
    const results = page.results.filter(({ id }) => id.startsWith(filter.prefix ?? ''));
    await readLabels(results.map(({ id }) => id));
    return results.map(({ id, type }) => ({ id, label: labelOf(id).value?.label ?? id, hint: labelOf(id).value?.label === undefined ? type : `${type} · ${id}` }));
}
