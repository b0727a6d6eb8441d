import { createQuiz } from "./quiz.js"

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

  function choose(text) {
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

function button(text, act) {
  const element = document.createElement("button")
  element.type = "button"
  element.textContent = text
  element.addEventListener("click", act)
  return element
}

function find(id) {
  return document.getElementById(id)
}

if (typeof document !== "undefined") start()
