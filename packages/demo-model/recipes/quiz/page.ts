import { button, find } from "../page/elements.ts"
import { createQuiz } from "./quiz.ts"

function start() {
  let quiz = createQuiz()

  function show() {
    const question = quiz.current()
    const { answered, score, total } = quiz.progress()
    find("progress").textContent = question ? `Question ${answered + 1} of ${total}` : "The end"
    find("question").textContent = question?.text ?? `You have ${score} of ${total} right.`
    const buttons = question
      ? question.answers.map((text) => button(text, () => choose(text)))
      : [button("Again", again)]
    find("answers").replaceChildren(...buttons)
    buttons[0]?.focus()
  }

  function choose(text: string) {
    const right = quiz.current()?.right
    find("message").textContent = quiz.answer(text) ? "Right." : `Not quite: it is ${right}.`
    show()
  }

  function again() {
    quiz = createQuiz()
    find("message").textContent = ""
    show()
  }

  show()
}

if (typeof document !== "undefined") start()
