/** Texts of the tab for versions. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        title: 'Versions', none: 'No version has been published yet.', explain: 'A version is a copy of the object under an id of its own, which stays as it is when the object changes.', publish: 'Publish a version',
        current: 'Current state', version: 'Version', when: 'When', who: 'By', id: 'Id', older: 'From', newer: 'To', compare: 'Compare', comparison: 'Difference', same: 'Both are the same.', restore: 'Restore', restoreTitle: 'Restore this version?',
        restoreText: 'The content of {id} becomes the content of the object, as a new change. Its id, its type and its other versions stay.', restored: 'The version is restored.',
        restoreFiles: { one: 'Restore the file of the version', other: 'Restore the {count} files of the version' }, deleteFiles: { one: 'Delete the file of the object: the version has none', other: 'Delete the {count} files of the object: the version has none' },
        filesStay: { one: 'The file of the object stays as it is.', other: 'The {count} files of the object stay as they are.' }, filesGo: 'These files, which the version does not have, are deleted: {names}', noFiles: 'Neither the version nor the object has files.',
        restoreRights: 'Restore the rights as well: they have changed since', sameRights: 'The rights are the same.', restoring: '{done} of {total}', changed: 'Somebody else has changed this object meanwhile. Close this, and read it again first.', hidden: 'You may not read all of this version: it cannot be restored.', skipped: { one: '{count} equal line', other: '{count} equal lines' },
        actions: 'Actions', published: 'The version {id} is published.', versionId: 'Id of the version (optional)', withFiles: 'with the files', publishText: 'The object as it is now is kept under an id of its own.', line: 'Line',
        shown: 'of the first {count} lines', before: 'before', after: 'after', large: 'Only the first {count} lines are compared.', pick: 'Choose'
    },
    de: {
        title: 'Versionen', none: 'Noch wurde keine Version veröffentlicht.', explain: 'Eine Version ist eine Kopie des Objekts unter einer eigenen Id; sie bleibt, wie sie ist, wenn sich das Objekt ändert.', publish: 'Version veröffentlichen',
        current: 'Jetziger Stand', version: 'Version', when: 'Wann', who: 'Von', id: 'Id', older: 'Von', newer: 'Bis', compare: 'Vergleichen', comparison: 'Unterschied', same: 'Beide sind gleich.', restore: 'Wiederherstellen', restoreTitle: 'Diese Version wiederherstellen?',
        restoreText: 'Der Inhalt von {id} wird der Inhalt des Objekts, als neue Änderung. Id, Typ und andere Versionen bleiben.', restored: 'Die Version ist wiederhergestellt.',
        restoreFiles: { one: 'Die Datei der Version wiederherstellen', other: 'Die {count} Dateien der Version wiederherstellen' }, deleteFiles: { one: 'Die Datei des Objekts löschen: Die Version hat keine', other: 'Die {count} Dateien des Objekts löschen: Die Version hat keine' },
        filesStay: { one: 'Die Datei des Objekts bleibt, wie sie ist.', other: 'Die {count} Dateien des Objekts bleiben, wie sie sind.' }, filesGo: 'Diese Dateien, die die Version nicht hat, werden gelöscht: {names}', noFiles: 'Weder die Version noch das Objekt hat Dateien.',
        restoreRights: 'Auch die Rechte wiederherstellen: Sie haben sich seither geändert', sameRights: 'Die Rechte sind dieselben.', restoring: '{done} von {total}', changed: 'Jemand anderes hat dieses Objekt inzwischen geändert. Schließen Sie dies, und lesen Sie es zuerst neu.', hidden: 'Sie dürfen nicht alles an dieser Version lesen: Sie lässt sich nicht wiederherstellen.', skipped: { one: '{count} gleiche Zeile', other: '{count} gleiche Zeilen' },
        actions: 'Aktionen', published: 'Die Version {id} ist veröffentlicht.', versionId: 'Id der Version (freiwillig)', withFiles: 'mit den Dateien', publishText: 'Das Objekt, wie es jetzt ist, wird unter einer eigenen Id aufbewahrt.', line: 'Zeile',
        shown: 'der ersten {count} Zeilen', before: 'vorher', after: 'nachher', large: 'Nur die ersten {count} Zeilen werden verglichen.', pick: 'Auswählen'
    },
    fr: {
        title: 'Versions', none: 'Aucune version n’a encore été publiée.', explain: 'Une version est une copie de l’objet sous son propre identifiant ; elle ne change pas quand l’objet change.', publish: 'Publier une version',
        current: 'État actuel', version: 'Version', when: 'Quand', who: 'Par', id: 'Identifiant', older: 'De', newer: 'À', compare: 'Comparer', comparison: 'Différence', same: 'Les deux sont identiques.', restore: 'Restaurer', restoreTitle: 'Restaurer cette version ?',
        restoreText: 'Le contenu de {id} devient le contenu de l’objet, comme une nouvelle modification. Son identifiant, son type et ses autres versions ne changent pas.', restored: 'La version est restaurée.',
        restoreFiles: { one: 'Restaurer le fichier de la version', other: 'Restaurer les {count} fichiers de la version' }, deleteFiles: { one: 'Supprimer le fichier de l’objet : la version n’en a pas', other: 'Supprimer les {count} fichiers de l’objet : la version n’en a pas' },
        filesStay: { one: 'Le fichier de l’objet ne change pas.', other: 'Les {count} fichiers de l’objet ne changent pas.' }, filesGo: 'Ces fichiers, que la version n’a pas, seront supprimés : {names}', noFiles: 'Ni la version ni l’objet n’ont de fichiers.',
        restoreRights: 'Restaurer aussi les droits : ils ont changé depuis', sameRights: 'Les droits sont les mêmes.', restoring: '{done} sur {total}', changed: 'Quelqu’un d’autre a modifié cet objet entre-temps. Fermez ceci, et relisez-le d’abord.', hidden: 'Vous ne pouvez pas lire toute cette version : elle ne peut pas être restaurée.', skipped: { one: '{count} ligne identique', other: '{count} lignes identiques' },
        actions: 'Actions', published: 'La version {id} est publiée.', versionId: 'Identifiant de la version (facultatif)', withFiles: 'avec les fichiers', publishText: 'L’objet tel qu’il est maintenant est conservé sous son propre identifiant.', line: 'Ligne',
        shown: 'des {count} premières lignes', before: 'avant', after: 'après', large: 'Seules les {count} premières lignes sont comparées.', pick: 'Choisir'
    }
});
