/** The order of answers: what was asked for later is newer, in whatever order the answers arrive. */

/** Numbers questions about the same. */
export class Newest {

    #asked = 0;
    #answered = 0;

    /** Notes a question; the function says, once its answer is there, whether that is newer than all answers before, and counts as one of them then. */
    ask(): () => boolean {

        const turn = ++this.#asked;
        return () => {

            const isNewest = turn > this.#answered;
            this.#answered = Math.max(turn, this.#answered);
            return isNewest;
        };
    }
}
