/** Texts of the form. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: {
        required: 'required', readOnly: 'read only', notSet: 'Not set', yes: 'yes', no: 'no', type: 'Type of “{name}”', kind: 'Kind of “{name}”', none: 'No value (null)',
        string: 'Text', number: 'Number', integer: 'Whole number', boolean: 'Yes or no', object: 'Object', array: 'List', null: 'No value', option: 'Kind {count}',
        add: 'Add', addTo: 'Add to “{name}”', remove: 'Remove', removeItem: 'Remove “{name}”', up: 'Move up: {name}', down: 'Move down: {name}',
        items: { one: '{count} entry', other: '{count} entries' }, item: 'Entry {count}', empty: 'No entries yet', moved: '“{name}” is at position {count} now', removed: '“{name}” was removed',
        cell: '{name}, {row}', rowNumber: 'Number', reorder: 'Reorder', earlier: 'Move forward: {name}', later: 'Move back: {name}', range: '{from}–{to} of {all}', previous: 'Previous entries', next: 'Following entries', more: 'Show {count} more fields',
        tagHint: 'Enter or comma adds an entry.', property: 'Name of the property', addProperty: 'Add property', newProperty: 'Name of a new property',
        nameEmpty: 'Enter a name.', nameTaken: 'This property exists already.', nameForbidden: 'The type does not permit this property.', nameNotAdded: 'No property has this name yet: add it, or empty the field', nameNotChanged: 'The property does not have this name yet',
        notNumber: 'This is not a number: digits with a point, such as 1250.5', notInteger: 'This is not a whole number', notDate: 'This is not a whole date: complete it, or empty the field', notChosen: 'This is no object yet: choose one of the list, enter its id, or empty the field', otherPrefix: 'The field refers to objects whose ids begin with {prefix} only', keep: 'Leave empty to keep the present value', show: 'Show', hide: 'Hide',
        generated: { one: '{count} field is filled in by the service', other: '{count} fields are filled in by the service' }, json: 'JSON of “{name}”', misfit: 'This value does not fit the type. It stays as it is unless you change it.', large: 'Show {size} of JSON',
        default: 'Default: {value}', example: 'Example: {value}', localTime: 'Your local time; it is stored as {value}',
        search: 'Search …', searchIn: 'Search in {types}', change: 'Change', openObject: 'Open', create: 'Create new: {types}', useId: 'Use the id “{id}”',
        errors: { one: 'One field needs attention', other: '{count} fields need attention' }, whole: 'The whole object', other: '(another value) {value}', forbidden: 'No value is valid here.'
    },
    de: {
        required: 'erforderlich', readOnly: 'nur lesbar', notSet: 'Nicht gesetzt', yes: 'ja', no: 'nein', type: 'Typ von „{name}“', kind: 'Art von „{name}“', none: 'Kein Wert (null)',
        string: 'Text', number: 'Zahl', integer: 'Ganze Zahl', boolean: 'Ja oder nein', object: 'Objekt', array: 'Liste', null: 'Kein Wert', option: 'Art {count}',
        add: 'Hinzufügen', addTo: 'Zu „{name}“ hinzufügen', remove: 'Entfernen', removeItem: '„{name}“ entfernen', up: 'Nach oben: {name}', down: 'Nach unten: {name}',
        items: { one: '{count} Eintrag', other: '{count} Einträge' }, item: 'Eintrag {count}', empty: 'Noch keine Einträge', moved: '„{name}“ steht jetzt an Stelle {count}', removed: '„{name}“ wurde entfernt',
        cell: '{name}, {row}', rowNumber: 'Nummer', reorder: 'Ordnen', earlier: 'Nach vorn: {name}', later: 'Nach hinten: {name}', range: '{from}–{to} von {all}', previous: 'Vorige Einträge', next: 'Weitere Einträge', more: '{count} weitere Felder zeigen',
        tagHint: 'Eingabetaste oder Komma fügt einen Eintrag hinzu.', property: 'Name der Eigenschaft', addProperty: 'Eigenschaft hinzufügen', newProperty: 'Name einer neuen Eigenschaft',
        nameEmpty: 'Geben Sie einen Namen ein.', nameTaken: 'Diese Eigenschaft gibt es schon.', nameForbidden: 'Der Typ lässt diese Eigenschaft nicht zu.', nameNotAdded: 'Noch keine Eigenschaft hat diesen Namen: Fügen Sie sie hinzu, oder leeren Sie das Feld', nameNotChanged: 'Die Eigenschaft hat diesen Namen noch nicht',
        notNumber: 'Das ist keine Zahl: Ziffern mit einem Punkt, wie 1250.5', notInteger: 'Das ist keine ganze Zahl', notDate: 'Das ist kein ganzes Datum: Vervollständigen Sie es, oder leeren Sie das Feld', notChosen: 'Das ist noch kein Objekt: Wählen Sie eines aus der Liste, geben Sie seine Id ein, oder leeren Sie das Feld', otherPrefix: 'Das Feld verweist nur auf Objekte, deren Ids mit {prefix} beginnen', keep: 'Leer lassen, um den jetzigen Wert zu behalten', show: 'Zeigen', hide: 'Verbergen',
        generated: { one: '{count} Feld füllt der Dienst aus', other: '{count} Felder füllt der Dienst aus' }, json: 'JSON von „{name}“', misfit: 'Dieser Wert passt nicht zum Typ. Er bleibt, wie er ist, solange Sie ihn nicht ändern.', large: '{size} JSON zeigen',
        default: 'Vorgabe: {value}', example: 'Beispiel: {value}', localTime: 'Ihre Ortszeit; gespeichert wird {value}',
        search: 'Suchen …', searchIn: 'Suchen in {types}', change: 'Ändern', openObject: 'Öffnen', create: 'Neu anlegen: {types}', useId: 'Die Id „{id}“ verwenden',
        errors: { one: 'Ein Feld ist zu prüfen', other: '{count} Felder sind zu prüfen' }, whole: 'Das ganze Objekt', other: '(anderer Wert) {value}', forbidden: 'Hier ist kein Wert gültig.'
    },
    fr: {
        required: 'obligatoire', readOnly: 'lecture seule', notSet: 'Non défini', yes: 'oui', no: 'non', type: 'Type de « {name} »', kind: 'Sorte de « {name} »', none: 'Aucune valeur (null)',
        string: 'Texte', number: 'Nombre', integer: 'Nombre entier', boolean: 'Oui ou non', object: 'Objet', array: 'Liste', null: 'Aucune valeur', option: 'Sorte {count}',
        add: 'Ajouter', addTo: 'Ajouter à « {name} »', remove: 'Retirer', removeItem: 'Retirer « {name} »', up: 'Vers le haut : {name}', down: 'Vers le bas : {name}',
        items: { one: '{count} entrée', other: '{count} entrées' }, item: 'Entrée {count}', empty: 'Aucune entrée', moved: '« {name} » est maintenant en position {count}', removed: '« {name} » a été retiré',
        cell: '{name}, {row}', rowNumber: 'Numéro', reorder: 'Réordonner', earlier: 'Avancer : {name}', later: 'Reculer : {name}', range: '{from}–{to} sur {all}', previous: 'Entrées précédentes', next: 'Entrées suivantes', more: 'Afficher {count} champs de plus',
        tagHint: 'Entrée ou virgule ajoute une entrée.', property: 'Nom de la propriété', addProperty: 'Ajouter une propriété', newProperty: 'Nom d’une nouvelle propriété',
        nameEmpty: 'Saisissez un nom.', nameTaken: 'Cette propriété existe déjà.', nameForbidden: 'Le type n’autorise pas cette propriété.', nameNotAdded: 'Aucune propriété ne porte encore ce nom : ajoutez-la, ou videz le champ', nameNotChanged: 'La propriété ne porte pas encore ce nom',
        notNumber: 'Ce n’est pas un nombre : des chiffres avec un point, comme 1250.5', notInteger: 'Ce n’est pas un nombre entier', notDate: 'Ce n’est pas une date entière : complétez-la, ou videz le champ', notChosen: 'Ce n’est pas encore un objet : choisissez-en un dans la liste, saisissez son identifiant, ou videz le champ', otherPrefix: 'Le champ ne renvoie qu’à des objets dont l’identifiant commence par {prefix}', keep: 'Laisser vide pour garder la valeur actuelle', show: 'Afficher', hide: 'Masquer',
        generated: { one: '{count} champ est rempli par le service', other: '{count} champs sont remplis par le service' }, json: 'JSON de « {name} »', misfit: 'Cette valeur ne correspond pas au type. Elle reste telle quelle tant que vous ne la modifiez pas.', large: 'Afficher {size} de JSON',
        default: 'Par défaut : {value}', example: 'Exemple : {value}', localTime: 'Votre heure locale ; enregistrée comme {value}',
        search: 'Chercher …', searchIn: 'Chercher dans {types}', change: 'Modifier', openObject: 'Ouvrir', create: 'Créer : {types}', useId: 'Utiliser l’identifiant « {id} »',
        errors: { one: 'Un champ est à vérifier', other: '{count} champs sont à vérifier' }, whole: 'L’objet entier', other: '(autre valeur) {value}', forbidden: 'Aucune valeur n’est valable ici.'
    }
});
