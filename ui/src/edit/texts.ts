/** Texts of the editor. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: {
        newObject: 'New object: {type}', editObject: 'Edit {name}', type: 'Type', form: 'Form', json: 'JSON', save: 'Save', create: 'Create', cancel: 'Cancel', saving: 'Saving …', saved: 'Saved', created: 'Created',
        view: 'How to edit', content: 'Content', leave: 'You have changes that are not saved. Leave all the same?', draftKept: 'Draft kept {ago}', draftTooLarge: 'Too large for a draft', draftRefused: 'No draft is kept: the browser has no room for it',
        draftsRemoved: { one: 'The storage of the browser is full: an older draft of yours was removed.', other: 'The storage of the browser is full: {count} older drafts of yours were removed.' },
        draftFound: 'A draft of {time} is kept in this browser.', draftOld: 'The object was saved by somebody since.', restore: 'Restore the draft', discard: 'Discard the draft', discarded: 'Your changes are discarded. The draft above gives them back.',
        problems: 'Some fields hold text that is no value. Correct them first.', syntax: 'The JSON has a syntax error. Correct it first.', invalid: 'The service rejects these values:',
        gone: 'This object has been deleted meanwhile. What you entered is still here; as JSON it can be copied into a new object.', noType: 'There is no type “{type}”.', noObject: 'This object does not exist, or you may not read it.', suffix: 'End of the id (optional)', handle: 'Id (optional)', suffixHint: 'The service adds {prefix}/ before it.',
        files: 'Files', addFiles: 'Add files', removeFile: 'Remove “{name}”', sent: '{sent} of {total} sent', stop: 'Stop',
        stopped: 'You have stopped it.', sendAgain: 'Send again', filesMissing: 'The content is saved, but not all files: {names}', typedOn: 'What you had entered is saved; what you have typed since is not yet.',
        looking: 'The connection was lost before the service answered: looking whether it has created the object …',
        notStored: 'The connection was lost before the service answered. No such object is found: the service has not created it, as far as you may see. Create looks once more before it sends it again.',
        unknown: 'The service does not respond. It is not known whether it has created the object. What you entered is still here; Create looks for the object before it sends it again.',
        similar: 'The connection was lost before the service answered. You have created this since: look whether it is the object. Create creates another one.',
        conflict: 'Somebody else has saved this object', conflictText: '{who} saved it {ago}. Your changes are not saved yet.', place: 'Place', theirs: 'Saved', yours: 'Yours', nothing: '(none)', whole: '(everything)',
        keep: 'Keep editing', take: 'Take theirs', overwrite: 'Overwrite with mine', merge: 'Merge both', more: '… and {count} more', same: 'The contents are the same.', somebody: 'Somebody',
        resolved: 'The code of this type changes objects when they are read. What is shown here is not what is stored: saving stores it in its place, with what the code has added and without what it has left out.',
        storeShown: 'Store what is shown here', agreeFirst: 'Nothing is saved yet: first agree above that what is shown here is stored.',
        resolvedCopy: 'The code of this type changes objects when they are read. The copy begins with what the code shows, not with what is stored.'
    },
    de: {
        newObject: 'Neues Objekt: {type}', editObject: '{name} bearbeiten', type: 'Typ', form: 'Formular', json: 'JSON', save: 'Speichern', create: 'Anlegen', cancel: 'Abbrechen', saving: 'Wird gespeichert …', saved: 'Gespeichert', created: 'Angelegt',
        view: 'Art der Bearbeitung', content: 'Inhalt', leave: 'Ihre Änderungen sind nicht gespeichert. Trotzdem verlassen?', draftKept: 'Entwurf gesichert {ago}', draftTooLarge: 'Zu groß für einen Entwurf', draftRefused: 'Kein Entwurf gesichert: Der Browser hat keinen Platz dafür',
        draftsRemoved: { one: 'Der Speicher des Browsers ist voll: Ein älterer Entwurf von Ihnen wurde entfernt.', other: 'Der Speicher des Browsers ist voll: {count} ältere Entwürfe von Ihnen wurden entfernt.' },
        draftFound: 'In diesem Browser liegt ein Entwurf von {time}.', draftOld: 'Das Objekt wurde seitdem von jemandem gespeichert.', restore: 'Entwurf übernehmen', discard: 'Entwurf verwerfen', discarded: 'Ihre Änderungen sind verworfen. Der Entwurf oben gibt sie zurück.',
        problems: 'Einige Felder enthalten Text, der kein Wert ist. Berichtigen Sie sie zuerst.', syntax: 'Das JSON hat einen Syntaxfehler. Berichtigen Sie ihn zuerst.', invalid: 'Der Dienst weist diese Werte zurück:',
        gone: 'Dieses Objekt ist inzwischen gelöscht worden. Was Sie eingegeben haben, ist noch da; als JSON lässt es sich in ein neues Objekt kopieren.', noType: 'Es gibt keinen Typ „{type}“.', noObject: 'Dieses Objekt gibt es nicht, oder Sie dürfen es nicht lesen.', suffix: 'Ende der Id (freiwillig)', handle: 'Id (freiwillig)', suffixHint: 'Der Dienst stellt {prefix}/ davor.',
        files: 'Dateien', addFiles: 'Dateien hinzufügen', removeFile: '„{name}“ entfernen', sent: '{sent} von {total} gesendet', stop: 'Anhalten',
        stopped: 'Sie haben es angehalten.', sendAgain: 'Noch einmal senden', filesMissing: 'Der Inhalt ist gespeichert, aber nicht alle Dateien: {names}', typedOn: 'Was Sie eingegeben hatten, ist gespeichert; was Sie seitdem getippt haben, noch nicht.',
        looking: 'Die Verbindung riss ab, bevor der Dienst geantwortet hat: Es wird nachgesehen, ob er das Objekt angelegt hat …',
        notStored: 'Die Verbindung riss ab, bevor der Dienst geantwortet hat. Es ist kein solches Objekt zu finden: Der Dienst hat es nicht angelegt, soweit Sie es sehen dürfen. „Anlegen“ sieht noch einmal nach, bevor es erneut gesendet wird.',
        unknown: 'Der Dienst antwortet nicht. Ob er das Objekt angelegt hat, ist nicht bekannt. Was Sie eingegeben haben, ist noch da; „Anlegen“ sucht zuerst nach dem Objekt, bevor es erneut gesendet wird.',
        similar: 'Die Verbindung riss ab, bevor der Dienst geantwortet hat. Dies haben Sie seitdem angelegt: Sehen Sie nach, ob es das Objekt ist. „Anlegen“ legt ein weiteres an.',
        conflict: 'Jemand anders hat dieses Objekt gespeichert', conflictText: '{who} hat es {ago} gespeichert. Ihre Änderungen sind noch nicht gespeichert.', place: 'Stelle', theirs: 'Gespeichert', yours: 'Ihres', nothing: '(nichts)', whole: '(alles)',
        keep: 'Weiter bearbeiten', take: 'Das andere übernehmen', overwrite: 'Mit meinem überschreiben', merge: 'Beides zusammenführen', more: '… und {count} weitere', same: 'Die Inhalte sind gleich.', somebody: 'Jemand',
        resolved: 'Der Code dieses Typs verändert Objekte beim Lesen. Was hier gezeigt wird, ist nicht das Gespeicherte: Speichern setzt es an dessen Stelle, mit dem, was der Code hinzugefügt hat, und ohne das, was er weggelassen hat.',
        storeShown: 'Speichern, was hier gezeigt wird', agreeFirst: 'Noch ist nichts gespeichert: Stimmen Sie zuerst oben zu, dass gespeichert wird, was hier gezeigt wird.',
        resolvedCopy: 'Der Code dieses Typs verändert Objekte beim Lesen. Die Kopie beginnt mit dem, was der Code zeigt, nicht mit dem Gespeicherten.'
    },
    fr: {
        newObject: 'Nouvel objet : {type}', editObject: 'Modifier {name}', type: 'Type', form: 'Formulaire', json: 'JSON', save: 'Enregistrer', create: 'Créer', cancel: 'Annuler', saving: 'Enregistrement …', saved: 'Enregistré', created: 'Créé',
        view: 'Mode d’édition', content: 'Contenu', leave: 'Vos modifications ne sont pas enregistrées. Quitter quand même ?', draftKept: 'Brouillon gardé {ago}', draftTooLarge: 'Trop grand pour un brouillon', draftRefused: 'Aucun brouillon gardé : le navigateur n’a pas de place pour lui',
        draftsRemoved: { one: 'Le stockage du navigateur est plein : un de vos brouillons plus anciens a été supprimé.', other: 'Le stockage du navigateur est plein : {count} de vos brouillons plus anciens ont été supprimés.' },
        draftFound: 'Un brouillon du {time} est gardé dans ce navigateur.', draftOld: 'L’objet a été enregistré par quelqu’un depuis.', restore: 'Reprendre le brouillon', discard: 'Jeter le brouillon', discarded: 'Vos modifications sont abandonnées. Le brouillon ci-dessus les rend.',
        problems: 'Certains champs contiennent un texte qui n’est pas une valeur. Corrigez-les d’abord.', syntax: 'Le JSON a une erreur de syntaxe. Corrigez-la d’abord.', invalid: 'Le service refuse ces valeurs :',
        gone: 'Cet objet a été supprimé entre-temps. Ce que vous avez saisi est toujours là ; en JSON, cela peut être copié dans un nouvel objet.', noType: 'Le type « {type} » n’existe pas.', noObject: 'Cet objet n’existe pas, ou vous ne pouvez pas le lire.', suffix: 'Fin de l’identifiant (facultatif)', handle: 'Identifiant (facultatif)', suffixHint: 'Le service ajoute {prefix}/ devant.',
        files: 'Fichiers', addFiles: 'Ajouter des fichiers', removeFile: 'Retirer « {name} »', sent: '{sent} sur {total} envoyés', stop: 'Arrêter',
        stopped: 'Vous l’avez arrêté.', sendAgain: 'Envoyer de nouveau', filesMissing: 'Le contenu est enregistré, mais pas tous les fichiers : {names}', typedOn: 'Ce que vous aviez saisi est enregistré ; ce que vous avez tapé depuis ne l’est pas encore.',
        looking: 'La connexion a été coupée avant la réponse du service : on vérifie s’il a créé l’objet …',
        notStored: 'La connexion a été coupée avant la réponse du service. Aucun objet de ce genre n’est trouvé : le service ne l’a pas créé, pour autant que vous puissiez le voir. « Créer » vérifie encore une fois avant de l’envoyer de nouveau.',
        unknown: 'Le service ne répond pas. On ne sait pas s’il a créé l’objet. Ce que vous avez saisi est toujours là ; « Créer » cherche l’objet avant de l’envoyer de nouveau.',
        similar: 'La connexion a été coupée avant la réponse du service. Vous avez créé ceci depuis : vérifiez si c’est l’objet. « Créer » en crée un autre.',
        conflict: 'Quelqu’un d’autre a enregistré cet objet', conflictText: '{who} l’a enregistré {ago}. Vos modifications ne sont pas encore enregistrées.', place: 'Endroit', theirs: 'Enregistré', yours: 'Le vôtre', nothing: '(rien)', whole: '(tout)',
        keep: 'Continuer', take: 'Prendre l’autre', overwrite: 'Remplacer par le mien', merge: 'Fusionner', more: '… et {count} de plus', same: 'Les contenus sont identiques.', somebody: 'Quelqu’un',
        resolved: 'Le code de ce type modifie les objets à la lecture. Ce qui est affiché ici n’est pas ce qui est enregistré : l’enregistrement le met à sa place, avec ce que le code a ajouté et sans ce qu’il a omis.',
        storeShown: 'Enregistrer ce qui est affiché ici', agreeFirst: 'Rien n’est encore enregistré : acceptez d’abord ci-dessus que ce qui est affiché ici soit enregistré.',
        resolvedCopy: 'Le code de ce type modifie les objets à la lecture. La copie commence par ce que le code affiche, et non par ce qui est enregistré.'
    }
});
