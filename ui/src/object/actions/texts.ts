/** Texts of what can be done with an object. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        edit: 'Edit', more: 'More', copyId: 'Copy the id', clone: 'Clone', publish: 'Publish a version …', move: 'Move to another type …', delete: 'Delete …', print: 'Print', deleteTitle: 'Delete this object?', deleteAction: 'Delete',
        deleteText: 'The object {id} and its files are deleted. Published versions stay.', deleteVersionText: 'The version {id} and its files are deleted. The object stays.', pointing: { one: '{count} object refers to it, and cannot be changed until its reference is corrected:', other: '{count} objects refer to it, and cannot be changed until their references are corrected:' },
        notPointing: 'No object that you may read refers to it.', checking: 'Looking for objects that refer to it …', atLeast: 'and more', deleted: 'The object {id} is deleted.', moveTitle: 'Move to another type', newType: 'New type', moveAction: 'Move',
        moveText: 'The content stays as it is, if it is valid for the new type.', moved: 'The object is now of the type {type}.', notValid: 'The content is not valid for {type}:', fits: 'The content is valid for {type}.', publishTitle: 'Publish a version', publishAction: 'Publish',
        changed: 'Somebody else has changed this object meanwhile. Read it again first.', noTypes: 'There is no other type of which you may create objects.'
    },
    de: {
        edit: 'Bearbeiten', more: 'Mehr', copyId: 'Id kopieren', clone: 'Kopie anlegen', publish: 'Version veröffentlichen …', move: 'In anderen Typ ändern …', delete: 'Löschen …', print: 'Drucken', deleteTitle: 'Dieses Objekt löschen?', deleteAction: 'Löschen',
        deleteText: 'Das Objekt {id} und seine Dateien werden gelöscht. Veröffentlichte Versionen bleiben.', deleteVersionText: 'Die Version {id} und ihre Dateien werden gelöscht. Das Objekt bleibt.', pointing: { one: '{count} Objekt verweist darauf und lässt sich nicht ändern, bis der Verweis berichtigt ist:', other: '{count} Objekte verweisen darauf und lassen sich nicht ändern, bis die Verweise berichtigt sind:' },
        notPointing: 'Kein Objekt, das Sie lesen dürfen, verweist darauf.', checking: 'Objekte, die darauf verweisen, werden gesucht …', atLeast: 'und weitere', deleted: 'Das Objekt {id} ist gelöscht.', moveTitle: 'In anderen Typ ändern', newType: 'Neuer Typ', moveAction: 'Ändern',
        moveText: 'Der Inhalt bleibt, wie er ist, wenn er für den neuen Typ gültig ist.', moved: 'Das Objekt ist jetzt vom Typ {type}.', notValid: 'Der Inhalt ist für {type} nicht gültig:', fits: 'Der Inhalt ist für {type} gültig.', publishTitle: 'Version veröffentlichen', publishAction: 'Veröffentlichen',
        changed: 'Jemand anderes hat dieses Objekt inzwischen geändert. Lesen Sie es zuerst neu.', noTypes: 'Es gibt keinen anderen Typ, von dem Sie Objekte anlegen dürfen.'
    },
    fr: {
        edit: 'Modifier', more: 'Plus', copyId: 'Copier l’identifiant', clone: 'Cloner', publish: 'Publier une version …', move: 'Changer de type …', delete: 'Supprimer …', print: 'Imprimer', deleteTitle: 'Supprimer cet objet ?', deleteAction: 'Supprimer',
        deleteText: 'L’objet {id} et ses fichiers seront supprimés. Les versions publiées restent.', deleteVersionText: 'La version {id} et ses fichiers seront supprimés. L’objet reste.', pointing: { one: '{count} objet y fait référence et ne pourra pas être modifié tant que la référence n’est pas corrigée :', other: '{count} objets y font référence et ne pourront pas être modifiés tant que les références ne sont pas corrigées :' },
        notPointing: 'Aucun objet que vous pouvez lire n’y fait référence.', checking: 'Recherche des objets qui y font référence …', atLeast: 'et d’autres', deleted: 'L’objet {id} est supprimé.', moveTitle: 'Changer de type', newType: 'Nouveau type', moveAction: 'Changer',
        moveText: 'Le contenu reste tel quel s’il est valide pour le nouveau type.', moved: 'L’objet est maintenant du type {type}.', notValid: 'Le contenu n’est pas valide pour {type} :', fits: 'Le contenu est valide pour {type}.', publishTitle: 'Publier une version', publishAction: 'Publier',
        changed: 'Quelqu’un d’autre a modifié cet objet entre-temps. Relisez-le d’abord.', noTypes: 'Il n’y a pas d’autre type dont vous pouvez créer des objets.'
    }
});
