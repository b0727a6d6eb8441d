import { createLinks, type Link } from "./links.ts"

function start() {
  const links = createLinks(JSON.parse(localStorage.getItem("links") ?? "[]"))
  const input = find<HTMLInputElement>("field-url")

  /** Changes the links, then saves and shows them. */
  function change(act: () => unknown) {
    let problem = ""
    try {
      act()
    } catch (error) {
      problem = error instanceof Error ? error.message : "Something went wrong."
    }
    localStorage.setItem("links", JSON.stringify(links.list()))
    show(problem)
  }

  function show(problem = "") {
    const focused = document.activeElement?.id
    find("list").replaceChildren(...links.list().map(row))
    find("message").textContent = problem || (links.list().length === 0 ? "No links yet." : "")
    if (focused) (find(focused) ?? input).focus()
  }

  function row(link: Link) {
    const element = document.createElement("li")
    const text = document.createElement("a")
    text.className = "text"
    text.href = `#${link.id}`
    text.textContent = `#${link.id} → ${link.url}`
    const mark = document.createElement("span")
    mark.textContent = `${link.visits} visits`
    const remove = button("Remove", link, () => links.remove(link.id))
    element.append(text, mark, remove)
    return element
  }

  function button(verb: string, link: Link, act: () => unknown) {
    const element = document.createElement("button")
    element.type = "button"
    element.id = `${verb}-${link.id}`
    element.textContent = verb
    element.setAttribute("aria-label", `${verb} ${link.url}`)
    element.addEventListener("click", () => change(act))
    return element
  }

  find("form").addEventListener("submit", (event) => {
    event.preventDefault()
    change(() => {
      links.add(input.value)
      input.value = ""
    })
  })
  show()

  window.addEventListener("hashchange", follow)
  follow()

  /** This page's address with a code behind # is the short link. */
  function follow() {
    const link = links.visit(location.hash.slice(1))
    if (!link) return
    change(() => {})
    location.replace(link.url)
  }
}

function find<T extends HTMLElement>(id: string) {
  return document.getElementById(id) as T
}

if (typeof document !== "undefined") start()
