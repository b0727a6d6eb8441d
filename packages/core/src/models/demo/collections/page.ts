import { type Page, pageFiles, pageUsage } from "../pages/page.ts"
import type { Project } from "../project.ts"
import { capitalised, html, source } from "../source.ts"
import { type Collection, type CollectionFace, storeOf } from "./collection.ts"

/** A collection as a page: a form, a list, and the browser's own storage. */
export const collectionPage: CollectionFace = {
  feature: ({ plural }) => `Keeps its ${plural} in the browser; works with a keyboard, on a phone, in light and dark`,
  files: (collection, project) => pageFiles(collectionAsPage(collection, project), project),
  usage: (_collection, project) => pageUsage(project),
}

function collectionAsPage(collection: Collection, project: Project): Page {
  const { module, exports, tests } = storeOf(collection).script
  return {
    summary: collection.summary,
    body: body(collection, project),
    logic: module,
    start: start(collection),
    exports,
    tests,
  }
}

function body({ summary, noun, plural, field, examples }: Collection, { name }: Project): string {
  return source`
    <main>
      <h1>${html(name)}</h1>
      <p class="lead">${html(summary)}</p>
      <div class="card">
        <form id="form">
          <label for="${field}">New ${noun}</label>
          <div class="row">
            <input id="${field}" placeholder="${html(examples[0])}" autocomplete="off" />
            <button type="submit" class="main">Add</button>
          </div>
          <p id="message" class="message" role="status"></p>
        </form>
        <ul id="list" class="list" aria-label="${capitalised(plural)}"></ul>
      </div>
    </main>
  `
}

function start(collection: Collection): string {
  const { noun, plural, field, linked } = collection
  const [Noun, Plural] = [capitalised(noun), capitalised(plural)]
  return source`
    function start() {
      const ${plural} = create${Plural}(JSON.parse(localStorage.getItem("${plural}") ?? "[]"))
      const input = find‹<HTMLInputElement>›("${field}")

      /** Does something with the ${plural}, then keeps and shows them. */
      function change(act‹: () => unknown›) {
        let problem = ""
        try {
          act()
        } catch (error) {
          problem = error instanceof Error ? error.message : "Something went wrong."
        }
        localStorage.setItem("${plural}", JSON.stringify(${plural}.list()))
        show(problem)
      }

      function show(problem = "") {
        const focused = document.activeElement?.id
        find("list").replaceChildren(...${plural}.list().map(row))
        find("message").textContent = problem || (${plural}.list().length === 0 ? "No ${plural} yet." : "")
        if (focused) (find(focused) ?? input).focus()
      }

      function row(${noun}‹: ${Noun}›) {
        const element = document.createElement("li")
        ${rowParts(collection)}
        const remove = button("Remove", ${noun}, () => ${plural}.remove(${noun}.id))
        element.append(text, mark, remove)
        return element
      }

      function button(verb‹: string›, ${noun}‹: ${Noun}›, act‹: () => unknown›) {
        const element = document.createElement("button")
        element.type = "button"
        element.id = \`\${verb}-\${${noun}.id}\`
        element.textContent = verb
        element.setAttribute("aria-label", \`\${verb} \${${noun}.${field}}\`)
        element.addEventListener("click", () => change(act))
        return element
      }

      find("form").addEventListener("submit", (event) => {
        event.preventDefault()
        change(() => {
          ${plural}.add(input.value)
          input.value = ""
        })
      })
      show()
      ${linked ? `\n${following(collection)}` : ""}
    }
  `
}

/** A page has no redirects, but its own address with a code behind # can lead on to where the link leads. */
function following({ noun, plural, field, mark }: Collection): string {
  return source`
    window.addEventListener("hashchange", follow)
    follow()

    /** This page's address with a code behind # is the short link. */
    function follow() {
      const ${noun} = ${plural}.${mark.verb}(location.hash.slice(1))
      if (!${noun}) return
      change(() => {})
      location.replace(${noun}.${field})
    }
  `
}

/** A row's text, and its mark: a button that stays pressed, one with a count, or for a link the number of visits. */
function rowParts({ noun, plural, field, mark, linked }: Collection): string {
  if (linked) {
    return source`
      const text = document.createElement("a")
      text.className = "text"
      text.href = \`#\${${noun}.id}\`
      text.textContent = \`#\${${noun}.id} → \${${noun}.${field}}\`
      const mark = document.createElement("span")
      mark.textContent = \`\${${noun}.${mark.field}} ${mark.field}\`
    `
  }
  const count = source`
    mark.textContent = \`${capitalised(mark.verb)} · \${${noun}.${mark.field}}\`
    mark.setAttribute("aria-label", \`${capitalised(mark.verb)} \${${noun}.${field}}, now \${${noun}.${mark.field}}\`)
  `
  const flag = `mark.setAttribute("aria-pressed", String(${noun}.${mark.field}))`
  return source`
    const text = document.createElement("span")
    text.className = "text"
    text.textContent = ${noun}.${field}
    const mark = button("${capitalised(mark.verb)}", ${noun}, () => ${plural}.${mark.verb}(${noun}.id))
    ${mark.kind === "flag" ? flag : count}
  `
}
