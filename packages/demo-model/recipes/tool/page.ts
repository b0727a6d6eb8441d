import { find, messageOf } from "../page/elements.ts"
import { shout } from "./shouting.ts"

function start() {
  const input = find<HTMLInputElement>("phrase")
  const answer = find("answer")

  function show() {
    answer.classList.remove("wrong")
    try {
      answer.textContent = String(shout(input.value))
    } catch (error) {
      answer.textContent = messageOf(error)
      answer.classList.add("wrong")
    }
  }

  find("form").addEventListener("submit", (event) => {
    event.preventDefault()
    show()
  })
  input.addEventListener("input", show)
  show()
}

if (typeof document !== "undefined") start()
