/** An element that a request is about, as its prompt describes it. Its HTML and selector come from a page. */
export interface SelectedElement {
  tag: string
  /** Line of the source file, or 0 if unknown. */
  line: number
  selector: string
  html: string
}

/** Reads the elements from the lines after a request: a title, then a fence for each element. */
export function elementsIn([title = "", ...lines]: readonly string[]): SelectedElement[] {
  if (!title.startsWith("The user selected ")) return []
  const elements: SelectedElement[] = []
  let at = 0
  for (;;) {
    const heading = lines[at] ?? ""
    const [, tag] = /^Element \d+: <([\w.-]+)>/.exec(heading) ?? []
    const end = lines.indexOf(lines[at + 1] ?? "", at + 2)
    if (tag === undefined || end < 0) return elements
    const about = lines.slice(at + 2, end)
    const from = (name: string) => about.slice(about.findIndex((line) => line.startsWith(`${name}: `)))
    elements.push({
      tag: tag.toLowerCase(),
      line: Number(/, line (\d+)$/.exec(heading)?.[1] ?? 0),
      selector: (from("Selector")[0] ?? "").slice("Selector: ".length),
      html: from("HTML").join("\n").slice("HTML: ".length),
    })
    at = end + 1
  }
}
