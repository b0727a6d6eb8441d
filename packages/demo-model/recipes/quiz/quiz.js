export const questions = [
  { text: "How many legs does a spider have?", answers: ["Six", "Eight", "Ten"], right: "Eight" },
  { text: "Which metal is liquid at room temperature?", answers: ["Mercury", "Lead", "Tin"], right: "Mercury" },
  { text: "Which is the longest bone of the body?", answers: ["The shin", "The thigh", "The arm"], right: "The thigh" },
  { text: "How many strings does a violin have?", answers: ["Four", "Five", "Six"], right: "Four" },
  { text: "Which gas do plants take in?", answers: ["Oxygen", "Nitrogen", "Carbon dioxide"], right: "Carbon dioxide" },
]

/** One round: the questions in their order, each answered once. */
export function createQuiz(asked = questions) {
  let at = 0
  let score = 0

  return {
    /** The question whose turn it is; undefined at the end. */
    current() {
      return asked[at]
    },

    /** Takes the answer to the current question, and says whether it is right. */
    answer(text) {
      const isRight = asked[at]?.right === text
      if (at < asked.length) at += 1
      if (isRight) score += 1
      return isRight
    },

    progress() {
      return { answered: at, score, total: asked.length }
    },
  }
}
