import { button, find, messageOf } from "../page/elements.ts"
import { describe, fields, openSamples, type Sample, summary } from "./samples.ts"

function start() {
  const samples = openSamples(JSON.parse(localStorage.getItem("samples") ?? "null") ?? undefined)
  const inputs = Object.keys(fields).map((name) => ({ name, input: find<HTMLInputElement>(`field-${name}`) }))

  /** Changes the samples, then saves and shows them. */
  function change(act: () => unknown) {
    let problem = ""
    try {
      act()
    } catch (error) {
      problem = messageOf(error)
    }
    localStorage.setItem("samples", JSON.stringify(samples.list()))
    show(problem)
  }

  function show(problem = "") {
    const focused = document.activeElement?.id
    find("list").replaceChildren(...samples.list().map(row))
    find("message").textContent = problem || summary(samples.list())
    if (focused) (find(focused) ?? inputs[0]?.input)?.focus()
  }

  function row(sample: Sample) {
    const element = document.createElement("li")
    const text = document.createElement("span")
    text.className = "text"
    text.textContent = describe(sample)
    const mark = action("Flag", sample, () => samples.flag(sample.id))
    mark.setAttribute("aria-pressed", String(sample.flagged))
    const remove = action("Remove", sample, () => samples.remove(sample.id))
    element.append(text, mark, remove)
    return element
  }

  function action(verb: string, sample: Sample, act: () => unknown) {
    const element = button(verb, () => change(act))
    element.id = `${verb}-${sample.id}`
    element.setAttribute("aria-label", `${verb} ${describe(sample)}`)
    return element
  }

  find("form").addEventListener("submit", (event) => {
    event.preventDefault()
    change(() => {
      samples.add(Object.fromEntries(inputs.map(({ name, input }) => [name, input.value])))
      for (const { input } of inputs) input.value = ""
    })
  })
  show()
}

if (typeof document !== "undefined") start()
