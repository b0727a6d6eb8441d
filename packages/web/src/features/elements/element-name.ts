import type { PageElement } from "@switchyard/core/work/workflow/elements-schema"

/** Returns a short name: the last part of the selector, with the tag. */
export function elementName({ tag, selector }: Pick<PageElement, "tag" | "selector">): string {
  const last = selector.split(" > ").at(-1) ?? tag
  return last.startsWith("#") ? `${tag}${last}` : last
}

/** Returns an element's place: its file and line if they are known, else its page. */
export function elementPlace({ file, line, page }: Pick<PageElement, "file" | "line" | "page">): string {
  if (file === undefined) return `on ${page}`
  return line === undefined ? file : `${file}, line ${line}`
}
