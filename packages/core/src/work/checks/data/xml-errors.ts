import { type Fault, faultAt, lineAt } from "../facts/finding.ts"

/** Matches tags, and sections whose text may look like tags. Allows `>` in attribute values. */
const PART =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<\?[\s\S]*?(?:\?>|$)|<!DOCTYPE[^[<>]*(?:\[[\s\S]*?(?:\]\s*>|$)|>)|<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^"'<>])*)(>?)/gi

/** Finds the first unmatched tag in an XML file. */
export function checkXml(text: string): Fault[] {
  if (/\{\{|\{%|<%|\$\{/.test(text)) return []
  const open: { name: string; index: number }[] = []
  const fault = (index: number, message: string) => [faultAt(lineAt(text, index), "syntax", message)]
  for (const { 1: slash, 2: name, 3: rest = "", 4: end, index } of text.matchAll(PART)) {
    if (name === undefined) continue
    if (end !== ">") return fault(index, `the tag <${slash}${name}> has no end.`)
    if (slash === "" && !rest.endsWith("/")) open.push({ name, index })
    if (slash === "") continue
    const last = open.pop()
    if (last?.name !== name) return fault(index, `</${name}> closes ${last ? `<${last.name}>` : "nothing"}.`)
  }
  const [last] = open.slice(-1)
  return last ? fault(last.index, `<${last.name}> is never closed.`) : []
}
