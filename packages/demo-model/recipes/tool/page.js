import { shout } from "./shouting.js"

function start() {
  const input = find("phrase")
  const answer = find("answer")

  function show() {
    try {
      answer.textContent = String(shout(input.value))
      answer.classList.remove("wrong")
    } catch (error) {
      answer.textContent = error instanceof Error ? error.message : "Something went wrong."
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

function find(id) {
  return document.getElementById(id)
}

if (typeof document !== "undefined") start()
