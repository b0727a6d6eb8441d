import { createSamples } from "./samples.js"

function start() {
  const samples = createSamples(JSON.parse(localStorage.getItem("samples") ?? "[]"))
  const input = find("caption")

  /** Does something with the samples, then keeps and shows them. */
  function change(act) {
    let problem = ""
    try {
      act()
    } catch (error) {
      problem = error instanceof Error ? error.message : "Something went wrong."
    }
    localStorage.setItem("samples", JSON.stringify(samples.list()))
    show(problem)
  }

  function show(problem = "") {
    const focused = document.activeElement?.id
    find("list").replaceChildren(...samples.list().map(row))
    find("message").textContent = problem || (samples.list().length === 0 ? "No samples yet." : "")
    if (focused) (find(focused) ?? input).focus()
  }

  function row(sample) {
    const element = document.createElement("li")
    const text = document.createElement("span")
    text.className = "text"
    text.textContent = sample.caption
    const mark = button("Flag", sample, () => samples.flag(sample.id))
    mark.setAttribute("aria-pressed", String(sample.flagged))
    const remove = button("Remove", sample, () => samples.remove(sample.id))
    element.append(text, mark, remove)
    return element
  }

  function button(verb, sample, act) {
    const element = document.createElement("button")
    element.type = "button"
    element.id = `${verb}-${sample.id}`
    element.textContent = verb
    element.setAttribute("aria-label", `${verb} ${sample.caption}`)
    element.addEventListener("click", () => change(act))
    return element
  }

  find("form").addEventListener("submit", (event) => {
    event.preventDefault()
    change(() => {
      samples.add(input.value)
      input.value = ""
    })
  })
  show()
}

function find(id) {
  return document.getElementById(id)
}

if (typeof document !== "undefined") start()
