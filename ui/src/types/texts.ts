/** Texts about types. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: {
        types: 'Types', filter: 'Filter by name', newType: 'New type', load: 'Load from a file', name: 'Name', objects: 'Objects', fields: 'Fields', builtIn: 'built in', none: 'No type has such a name.',
        count: { one: '{count} object', other: '{count} objects' }, fieldCount: { one: '{count} field', other: '{count} fields' }, source: 'Begin with', template: 'a template', example: 'an example', csv: 'a table (CSV)', copy: 'another type', empty: 'nothing',
        exampleLabel: 'Example object, or an array of them (JSON)', csvLabel: 'First lines of the table', csvHint: 'The first line names the columns. Further lines tell the kinds of values.', fromFile: 'Read it from a file', create: 'Create', nameHint: 'Letters and digits, such as “Dataset”.', exists: 'There is a type of this name.',
        created: 'The type {name} is created.', templateLabel: 'Template', typeLabel: 'Type', notJson: 'This is not JSON: {error}', noColumns: 'The table has no columns.', notObject: 'An example is a JSON object.',
        loadTitle: 'Load types from a file', loadHint: 'A file with Schema objects, as exported, or JSON with schemas by their names.', choose: 'Choose a file', found: 'In the file', isNew: 'new', newId: 'new, with another id', replaces: 'replaces', moreTypes: { one: '… and {count} more', other: '… and {count} more' }, otherTypes: 'Nothing was stored: the types of the service have changed meanwhile. Look at the list, and confirm it again.', unchanged: 'unchanged', others: { one: '{count} other object is left out.', other: '{count} other objects are left out.' },
        loaded: { one: '{count} type is stored.', other: '{count} types are stored.' }, noTypesFound: 'There are no types in the file.', store: 'Store', allOrNone: 'All types are stored together, or none.', loadFailed: 'The file cannot be read: {error}',
        unknown: 'There is no type “{name}”.'
    },
    de: {
        types: 'Typen', filter: 'Nach Namen filtern', newType: 'Neuer Typ', load: 'Aus Datei laden', name: 'Name', objects: 'Objekte', fields: 'Felder', builtIn: 'eingebaut', none: 'Kein Typ heißt so.',
        count: { one: '{count} Objekt', other: '{count} Objekte' }, fieldCount: { one: '{count} Feld', other: '{count} Felder' }, source: 'Beginnen mit', template: 'einer Vorlage', example: 'einem Beispiel', csv: 'einer Tabelle (CSV)', copy: 'einem anderen Typ', empty: 'nichts',
        exampleLabel: 'Beispielobjekt, oder eine Liste davon (JSON)', csvLabel: 'Erste Zeilen der Tabelle', csvHint: 'Die erste Zeile nennt die Spalten. Weitere Zeilen zeigen die Art der Werte.', fromFile: 'Aus einer Datei lesen', create: 'Anlegen', nameHint: 'Buchstaben und Ziffern, etwa „Datensatz“.', exists: 'Es gibt schon einen Typ dieses Namens.',
        created: 'Der Typ {name} ist angelegt.', templateLabel: 'Vorlage', typeLabel: 'Typ', notJson: 'Das ist kein JSON: {error}', noColumns: 'Die Tabelle hat keine Spalten.', notObject: 'Ein Beispiel ist ein JSON-Objekt.',
        loadTitle: 'Typen aus einer Datei laden', loadHint: 'Eine Datei mit Schema-Objekten, wie sie exportiert werden, oder JSON mit Schemas nach ihren Namen.', choose: 'Datei wählen', found: 'In der Datei', isNew: 'neu', newId: 'neu, mit anderer Id', replaces: 'ersetzt', moreTypes: { one: '… und {count} weiterer', other: '… und {count} weitere' }, otherTypes: 'Nichts wurde gespeichert: Die Typen des Dienstes haben sich inzwischen geändert. Sehen Sie die Liste an, und bestätigen Sie noch einmal.', unchanged: 'unverändert', others: { one: '{count} anderes Objekt wird ausgelassen.', other: '{count} andere Objekte werden ausgelassen.' },
        loaded: { one: '{count} Typ ist gespeichert.', other: '{count} Typen sind gespeichert.' }, noTypesFound: 'In der Datei sind keine Typen.', store: 'Speichern', allOrNone: 'Alle Typen werden zusammen gespeichert, oder keiner.', loadFailed: 'Die Datei kann nicht gelesen werden: {error}',
        unknown: 'Es gibt keinen Typ „{name}“.'
    },
    fr: {
        types: 'Types', filter: 'Filtrer par nom', newType: 'Nouveau type', load: 'Charger un fichier', name: 'Nom', objects: 'Objets', fields: 'Champs', builtIn: 'intégré', none: 'Aucun type ne porte ce nom.',
        count: { one: '{count} objet', other: '{count} objets' }, fieldCount: { one: '{count} champ', other: '{count} champs' }, source: 'Partir de', template: 'un modèle', example: 'un exemple', csv: 'un tableau (CSV)', copy: 'un autre type', empty: 'rien',
        exampleLabel: 'Objet d’exemple, ou une liste (JSON)', csvLabel: 'Premières lignes du tableau', csvHint: 'La première ligne nomme les colonnes. Les suivantes montrent le genre des valeurs.', fromFile: 'Lire depuis un fichier', create: 'Créer', nameHint: 'Lettres et chiffres, par exemple « Dataset ».', exists: 'Il existe déjà un type de ce nom.',
        created: 'Le type {name} est créé.', templateLabel: 'Modèle', typeLabel: 'Type', notJson: 'Ce n’est pas du JSON : {error}', noColumns: 'Le tableau n’a pas de colonnes.', notObject: 'Un exemple est un objet JSON.',
        loadTitle: 'Charger des types depuis un fichier', loadHint: 'Un fichier d’objets Schema, tel qu’exporté, ou du JSON avec des schémas par leurs noms.', choose: 'Choisir un fichier', found: 'Dans le fichier', isNew: 'nouveau', newId: 'nouveau, avec un autre identifiant', replaces: 'remplace', moreTypes: { one: '… et {count} de plus', other: '… et {count} de plus' }, otherTypes: 'Rien n’a été enregistré : les types du service ont changé entre-temps. Regardez la liste, et confirmez de nouveau.', unchanged: 'inchangé', others: { one: '{count} autre objet est ignoré.', other: '{count} autres objets sont ignorés.' },
        loaded: { one: '{count} type est enregistré.', other: '{count} types sont enregistrés.' }, noTypesFound: 'Le fichier ne contient pas de types.', store: 'Enregistrer', allOrNone: 'Tous les types sont enregistrés ensemble, ou aucun.', loadFailed: 'Le fichier ne peut pas être lu : {error}',
        unknown: 'Le type « {name} » n’existe pas.'
    }
});
