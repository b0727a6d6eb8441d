import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  replaceAll,
  replaceNext,
  SearchQuery,
  setSearchQuery,
} from "@codemirror/search"
import { type EditorView, type Panel, runScopeHandlers, type ViewUpdate } from "@codemirror/view"

/** Stop counting here, because a larger count isn't useful. */
const COUNTED = 1000

const toggles = [
  { option: "caseSensitive", text: "Aa", label: "Match case" },
  { option: "wholeWord", text: "Word", label: "Whole words" },
  { option: "regexp", text: ".*", label: "Regular expression" },
] as const

/** The editor's search panel, with the studio's look and wording. */
export function createSearchPanel(view: EditorView): Panel {
  const find = field("Find", "search")
  const replacement = field("Replace with", "replace")
  const count = element("span", { role: "status", className: "min-w-16 text-xs text-ink-3 nums" })
  const options = toggles.map(({ option, text, label }) => {
    const toggle = button(text, () => {
      toggle.ariaPressed = String(toggle.ariaPressed !== "true")
      commit()
    })
    toggle.ariaLabel = label
    toggle.title = label
    return { option, toggle }
  })
  find.setAttribute("main-field", "true")

  function show(query: SearchQuery): void {
    find.value = query.search
    replacement.value = query.replace
    for (const { option, toggle } of options) toggle.ariaPressed = String(query[option])
    count.textContent = countText(view, query)
  }

  function commit(): void {
    const chosen = Object.fromEntries(options.map(({ option, toggle }) => [option, toggle.ariaPressed === "true"]))
    const query = new SearchQuery({ search: find.value, replace: replacement.value, ...chosen })
    if (!query.eq(getSearchQuery(view.state))) view.dispatch({ effects: setSearchQuery.of(query) })
  }

  const dom = element("div", { className: "cm-search flex flex-col gap-1.5 px-2 py-1.5 font-sans text-sm" })
  dom.append(
    row(
      find,
      ...options.map(({ toggle }) => toggle),
      count,
      button("Previous", () => findPrevious(view)),
      button("Next", () => findNext(view)),
      button("Close", () => closeSearchPanel(view)),
    ),
  )
  if (!view.state.readOnly) {
    const one = button("Replace", () => replaceNext(view))
    const all = button("Replace all", () => replaceAll(view))
    dom.append(row(replacement, one, all))
  }
  dom.addEventListener("input", commit)
  dom.addEventListener("keydown", (event) => {
    if (runScopeHandlers(view, event, "search-panel")) return event.preventDefault()
    if (event.key !== "Enter" || (event.target !== find && event.target !== replacement)) return
    event.preventDefault()
    if (event.target === replacement) replaceNext(view)
    else if (event.shiftKey) findPrevious(view)
    else findNext(view)
  })
  show(getSearchQuery(view.state))
  return {
    dom,
    top: false,
    mount: () => find.select(),
    update: (update) => {
      const query = getSearchQuery(update.state)
      if (hasNewQuery(update)) show(query)
      else if (update.docChanged || update.selectionSet) count.textContent = countText(view, query)
    },
  }
}

function hasNewQuery({ transactions }: ViewUpdate): boolean {
  return transactions.some(({ effects }) => effects.some((effect) => effect.is(setSearchQuery)))
}

/** Returns, for example, "2 of 5", or why there is no match. */
function countText({ state }: EditorView, query: SearchQuery): string {
  if (query.search === "") return ""
  if (!query.valid) return "Invalid regex"
  const { from, to } = state.selection.main
  let total = 0
  let current = 0
  const cursor = query.getCursor(state)
  for (let next = cursor.next(); !next.done && total < COUNTED; next = cursor.next()) {
    total++
    if (next.value.from === from && next.value.to === to) current = total
  }
  if (total === 0) return "No results"
  const all = total === COUNTED ? `${COUNTED.toLocaleString("en")}+` : total.toLocaleString("en")
  return current > 0 ? `${current} of ${all}` : `${all} ${total === 1 ? "result" : "results"}`
}

function field(label: string, name: string): HTMLInputElement {
  return element("input", {
    name,
    ariaLabel: label,
    placeholder: label,
    spellcheck: false,
    className:
      "h-7 w-0 min-w-24 flex-1 rounded-md border border-strong bg-sheet px-2 font-mono text-sm text-ink max-md:h-11 md:max-w-72",
  })
}

function button(text: string, onclick: () => void): HTMLButtonElement {
  const className =
    "h-7 rounded-md border border-strong bg-sheet px-2 text-sm text-ink-2 hover:bg-well hover:text-ink max-md:min-h-11 max-md:min-w-11 aria-pressed:border-accent aria-pressed:bg-accent-bg aria-pressed:text-ink"
  return element("button", { type: "button", textContent: text, onclick, className })
}

function row(...children: HTMLElement[]): HTMLElement {
  const line = element("div", { className: "flex flex-wrap items-center gap-1.5" })
  line.append(...children)
  return line
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(name), properties)
}
