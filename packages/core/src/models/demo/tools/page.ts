import { type Page, pageFiles, pageUsage } from "../pages/page.ts"
import type { Project } from "../project.ts"
import { blocks, capitalised, html, source } from "../source.ts"
import type { Tool, ToolFace } from "./tool.ts"

/** A tool as a page: one field, and the answer below it while you type. */
export const toolPage: ToolFace = {
  feature: () => "Answers while you type; works with a keyboard, on a phone, in light and dark",
  files: (tool, project) => pageFiles(toolAsPage(tool, project), project),
  usage: (_tool, project) => pageUsage(project),
}

function toolAsPage(tool: Tool, project: Project): Page {
  return {
    summary: tool.summary,
    body: tool.page?.body(project) ?? body(tool, project),
    logic: tool.script.module,
    start: tool.page?.start ?? start(tool),
    exports: tool.script.exports,
    tests: tool.script.tests,
  }
}

function body({ summary, input, example, shows, route }: Tool, { name }: Project): string {
  const value = html(example.input).replaceAll("\n", "&#10;")
  const line = source`
    <div class="row">
      <input id="${input.name}" value="${value}" autocomplete="off" />
      <button type="submit" class="main">${capitalised(route)}</button>
    </div>
  `
  const area = `<textarea id="${input.name}" rows="${input.rows}">${value}</textarea>`
  return source`
    <main>
      <h1>${html(name)}</h1>
      <p class="lead">${html(summary)}</p>
      <form id="form" class="card">
        <label for="${input.name}">${input.label}</label>
        ${input.rows === 1 ? line : area}
        ${answers[shows]}
      </form>
    </main>
  `
}

const answers = {
  text: '<output id="answer" class="answer"></output>',
  table: '<dl id="answer" class="table" aria-live="polite"></dl>',
  html: '<article id="answer" class="preview" aria-label="Preview"></article>',
} satisfies Record<Tool["shows"], string>

function start({ call, input, shows }: Tool): string {
  const element = input.rows === 1 ? "HTMLInputElement" : "HTMLTextAreaElement"
  const begin = source`
    function start() {
      const input = find‹<${element}>›("${input.name}")
      const answer = find("answer")

      function show() {
        try {
          ${showing[shows](`${call.script}(input.value)`)}
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
  `
  const cell = source`
    function cell(tag‹: string›, text‹: string›) {
      const element = document.createElement(tag)
      element.textContent = text
      return element
    }
  `
  return blocks(begin, shows === "table" && cell)
}

const showing = {
  text: (answer) => `answer.textContent = String(${answer})`,
  html: (answer) => `answer.innerHTML = ${answer}`,
  table: (answer) => source`
    const rows = Object.entries(${answer}).map(([name, value]) => {
      const row = document.createElement("div")
      row.append(cell("dt", name), cell("dd", String(value)))
      return row
    })
    answer.replaceChildren(...rows)
  `,
} satisfies Record<Tool["shows"], (answer: string) => string>
