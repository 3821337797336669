/** Texts of the dialog that changes many objects. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        title: { one: 'Change {count} object', other: 'Change {count} objects' }, what: 'What to do', set: 'Set a property', unset: 'Remove a property', rights: 'Replace the rights', add: 'Add somebody to the rights',
        remove: 'Remove somebody from the rights', delete: 'Delete the objects', property: 'Property', pointer: 'JSON pointer of the property', value: 'Value', jsonValue: 'Value (JSON)', asJson: 'Enter JSON', choose: 'Choose …',
        yes: 'yes', no: 'no', list: 'Right', readers: 'May read', writers: 'May change', who: 'Who', public: 'everybody', authenticated: 'everybody who is logged in', creator: 'who created the object', self: 'the object itself, for users',
        addNote: 'An object without a list of its own gets one: the rules of its type then no longer apply to this right.', byType: 'By the rules of the type', nobody: 'Nobody but the administrator', removeEntry: 'Remove {id}', addEntry: 'Add',
        deleteWarning: 'Deleted objects cannot be brought back. Objects that refer to them keep their ids.', confirm: 'Enter {count} to confirm', otherCount: { one: 'Nothing was deleted: there is {count} object now. Confirm its deletion again.', other: 'Nothing was deleted: there are {count} objects now. Confirm their deletion again.' }, otherChanged: { one: 'Nothing was changed: there is {count} object now. Confirm it again.', other: 'Nothing was changed: there are {count} objects now. Confirm it again.' }, cancel: 'Cancel', close: 'Close', doChange: { one: 'Change {count} object', other: 'Change {count} objects' },
        doDelete: { one: 'Delete {count} object', other: 'Delete {count} objects' }, collecting: 'Collecting: {done} of {total}', progress: '{done} of {total} objects', changed: { one: '{count} object was changed.', other: '{count} objects were changed.' },
        unchanged: { one: '{count} was so already.', other: '{count} were so already.' }, failed: { one: '{count} failed.', other: '{count} failed.' }, cancelled: { one: 'Cancelled: {count} was not touched.', other: 'Cancelled: {count} were not touched.' },
        ended: { one: 'Ended early: {count} was not touched.', other: 'Ended early: {count} were not touched.' }, stopping: 'Cancelling: what has begun is finished …',
        goOn: { one: 'Go on with the other one', other: 'Go on with the other {count}' }, report: 'Report as CSV',
        failures: 'What failed', object: 'Object', reason: 'Reason', again: 'Try those that failed again', leave: 'Objects are being changed. Leave the page, and stop it without a report?'
    },
    de: {
        title: { one: '{count} Objekt ändern', other: '{count} Objekte ändern' }, what: 'Was zu tun ist', set: 'Eine Eigenschaft setzen', unset: 'Eine Eigenschaft entfernen', rights: 'Die Rechte ersetzen', add: 'Jemanden zu den Rechten hinzufügen',
        remove: 'Jemanden aus den Rechten entfernen', delete: 'Die Objekte löschen', property: 'Eigenschaft', pointer: 'JSON-Zeiger der Eigenschaft', value: 'Wert', jsonValue: 'Wert (JSON)', asJson: 'JSON eingeben', choose: 'Auswählen …',
        yes: 'ja', no: 'nein', list: 'Recht', readers: 'Darf lesen', writers: 'Darf ändern', who: 'Wer', public: 'alle', authenticated: 'alle, die angemeldet sind', creator: 'wer das Objekt angelegt hat', self: 'das Objekt selbst, bei Benutzern',
        addNote: 'Ein Objekt ohne eigene Liste bekommt eine: Die Regeln seines Typs gelten dann für dieses Recht nicht mehr.', byType: 'Nach den Regeln des Typs', nobody: 'Niemand außer der Administration', removeEntry: '{id} entfernen', addEntry: 'Hinzufügen',
        deleteWarning: 'Gelöschte Objekte kommen nicht zurück. Objekte, die auf sie verweisen, behalten deren Ids.', confirm: 'Zur Bestätigung {count} eingeben', otherCount: { one: 'Nichts wurde gelöscht: Es ist jetzt {count} Objekt. Bestätigen Sie noch einmal.', other: 'Nichts wurde gelöscht: Es sind jetzt {count} Objekte. Bestätigen Sie noch einmal.' }, otherChanged: { one: 'Nichts wurde geändert: Es ist jetzt {count} Objekt. Bestätigen Sie noch einmal.', other: 'Nichts wurde geändert: Es sind jetzt {count} Objekte. Bestätigen Sie noch einmal.' }, cancel: 'Abbrechen', close: 'Schließen', doChange: { one: '{count} Objekt ändern', other: '{count} Objekte ändern' },
        doDelete: { one: '{count} Objekt löschen', other: '{count} Objekte löschen' }, collecting: 'Wird gesammelt: {done} von {total}', progress: '{done} von {total} Objekten', changed: { one: '{count} Objekt wurde geändert.', other: '{count} Objekte wurden geändert.' },
        unchanged: { one: '{count} war schon so.', other: '{count} waren schon so.' }, failed: { one: '{count} ist fehlgeschlagen.', other: '{count} sind fehlgeschlagen.' }, cancelled: { one: 'Abgebrochen: {count} wurde nicht berührt.', other: 'Abgebrochen: {count} wurden nicht berührt.' },
        ended: { one: 'Vorzeitig beendet: {count} wurde nicht berührt.', other: 'Vorzeitig beendet: {count} wurden nicht berührt.' }, stopping: 'Wird abgebrochen: Begonnenes wird beendet …',
        goOn: { one: 'Mit dem anderen fortfahren', other: 'Mit den anderen {count} fortfahren' }, report: 'Bericht als CSV',
        failures: 'Was fehlgeschlagen ist', object: 'Objekt', reason: 'Grund', again: 'Fehlgeschlagene noch einmal', leave: 'Objekte werden gerade geändert. Die Seite verlassen und ohne Bericht anhalten?'
    },
    fr: {
        title: { one: 'Modifier {count} objet', other: 'Modifier {count} objets' }, what: 'Que faire', set: 'Définir une propriété', unset: 'Supprimer une propriété', rights: 'Remplacer les droits', add: 'Ajouter quelqu’un aux droits',
        remove: 'Retirer quelqu’un des droits', delete: 'Supprimer les objets', property: 'Propriété', pointer: 'Pointeur JSON de la propriété', value: 'Valeur', jsonValue: 'Valeur (JSON)', asJson: 'Saisir du JSON', choose: 'Choisir …',
        yes: 'oui', no: 'non', list: 'Droit', readers: 'Peut lire', writers: 'Peut modifier', who: 'Qui', public: 'tout le monde', authenticated: 'toute personne connectée', creator: 'qui a créé l’objet', self: 'l’objet lui-même, pour les utilisateurs',
        addNote: 'Un objet sans liste en reçoit une : les règles de son type ne s’appliquent alors plus à ce droit.', byType: 'Selon les règles du type', nobody: 'Personne sauf l’administration', removeEntry: 'Retirer {id}', addEntry: 'Ajouter',
        deleteWarning: 'Les objets supprimés ne reviennent pas. Les objets qui y renvoient gardent leurs identifiants.', confirm: 'Saisir {count} pour confirmer', otherCount: { one: 'Rien n’a été supprimé : il y a maintenant {count} objet. Confirmez de nouveau.', other: 'Rien n’a été supprimé : il y a maintenant {count} objets. Confirmez de nouveau.' }, otherChanged: { one: 'Rien n’a été modifié : il y a maintenant {count} objet. Confirmez de nouveau.', other: 'Rien n’a été modifié : il y a maintenant {count} objets. Confirmez de nouveau.' }, cancel: 'Annuler', close: 'Fermer', doChange: { one: 'Modifier {count} objet', other: 'Modifier {count} objets' },
        doDelete: { one: 'Supprimer {count} objet', other: 'Supprimer {count} objets' }, collecting: 'Collecte : {done} sur {total}', progress: '{done} objets sur {total}', changed: { one: '{count} objet a été modifié.', other: '{count} objets ont été modifiés.' },
        unchanged: { one: '{count} l’était déjà.', other: '{count} l’étaient déjà.' }, failed: { one: '{count} a échoué.', other: '{count} ont échoué.' }, cancelled: { one: 'Annulé : {count} n’a pas été touché.', other: 'Annulé : {count} n’ont pas été touchés.' },
        ended: { one: 'Arrêté avant la fin : {count} n’a pas été touché.', other: 'Arrêté avant la fin : {count} n’ont pas été touchés.' }, stopping: 'Annulation : ce qui est commencé se termine …',
        goOn: { one: 'Continuer avec l’autre', other: 'Continuer avec les {count} autres' }, report: 'Rapport en CSV',
        failures: 'Ce qui a échoué', object: 'Objet', reason: 'Raison', again: 'Réessayer les échecs', leave: 'Des objets sont en cours de modification. Quitter la page et arrêter sans rapport ?'
    }
});
