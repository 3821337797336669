/** What a worker process leaves to the primary process. */

/** Thrown to leave a request to the primary process, before anything was done. */
export class ForPrimary extends Error {}

const answers = new WeakSet<Error>();

/** Marks an error as the answer to a request in a worker process, whatever its status; returns it. */
export function asAnswer<E extends Error>(error: E): E {

    answers.add(error);
    return error;
}

/** True for an error that is the answer. */
export function isMarkedAnswer(error: Error): boolean {

    return answers.has(error);
}
