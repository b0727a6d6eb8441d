import { textStats } from "./text-stats.js"

function start() {
  const input = find("text")
  const answer = find("answer")

  function show() {
    try {
      const rows = Object.entries(textStats(input.value)).map(([name, value]) => {
        const row = document.createElement("div")
        row.append(cell("dt", name), cell("dd", String(value)))
        return row
      })
      answer.replaceChildren(...rows)
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

function cell(tag, text) {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}

function find(id) {
  return document.getElementById(id)
}

if (typeof document !== "undefined") start()
