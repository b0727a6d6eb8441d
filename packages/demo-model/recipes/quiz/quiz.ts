export interface Question {
  text: string
  answers: string[]
  right: string
}

export const questions: Question[] = [
  { text: "How many legs does a spider have?", answers: ["Six", "Eight", "Ten"], right: "Eight" },
  { text: "Which metal is liquid at room temperature?", answers: ["Mercury", "Lead", "Tin"], right: "Mercury" },
  { text: "Which is the longest bone of the body?", answers: ["The shin", "The thigh", "The arm"], right: "The thigh" },
  { text: "How many strings does a violin have?", answers: ["Four", "Five", "Six"], right: "Four" },
  { text: "Which gas do plants take in?", answers: ["Oxygen", "Nitrogen", "Carbon dioxide"], right: "Carbon dioxide" },
]

/** A round of the quiz: each question is asked once, in order. */
export function createQuiz(asked = questions) {
  let at = 0
  let score = 0

  return {
    /** The current question; undefined at the end. */
    current(): Question | undefined {
      return asked[at]
    },

    /** Answers the current question, and returns whether the answer is right. */
    answer(text: string): boolean {
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
