export function find<T extends HTMLElement>(id: string) {
  return document.getElementById(id) as T
}

export function button(text: string, act: () => void) {
  const element = document.createElement("button")
  element.type = "button"
  element.textContent = text
  element.addEventListener("click", act)
  return element
}

export function messageOf(error: unknown) {
  return error instanceof Error ? error.message : "Something went wrong."
}
