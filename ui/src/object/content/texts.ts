/** Texts of values. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        yes: 'Yes', no: 'No', empty: 'empty', none: 'none', all: 'Show all', less: 'Show less',
        entries: { one: '{count} entry', other: '{count} entries' }, properties: { one: '{count} property', other: '{count} properties' }, secret: 'secret',
        item: 'Entry {count}', noContent: 'This object has no properties yet.', userMetadata: 'User metadata', email: 'email', characters: '{count} characters', hidden: 'value'
    },
    de: {
        yes: 'Ja', no: 'Nein', empty: 'leer', none: 'keine', all: 'Alles zeigen', less: 'Weniger zeigen',
        entries: { one: '{count} Eintrag', other: '{count} Einträge' }, properties: { one: '{count} Eigenschaft', other: '{count} Eigenschaften' }, secret: 'geheim',
        item: 'Eintrag {count}', noContent: 'Dieses Objekt hat noch keine Eigenschaften.', userMetadata: 'Eigene Metadaten', email: 'E-Mail', characters: '{count} Zeichen', hidden: 'Wert'
    },
    fr: {
        yes: 'Oui', no: 'Non', empty: 'vide', none: 'aucun', all: 'Tout afficher', less: 'Afficher moins',
        entries: { one: '{count} entrée', other: '{count} entrées' }, properties: { one: '{count} propriété', other: '{count} propriétés' }, secret: 'secret',
        item: 'Entrée {count}', noContent: 'Cet objet n’a pas encore de propriétés.', userMetadata: 'Métadonnées propres', email: 'courriel', characters: '{count} caractères', hidden: 'valeur'
    }
});
