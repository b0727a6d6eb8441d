import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { Markup } from "../facts/markup.ts"
import { resolveAddress } from "../facts/paths.ts"
import { faultsOf, type Project } from "../facts/project.ts"

/** Finds attributes such as `onclick` that call a function that their page doesn't define. */
export function checkHandlers(project: Project): Finding[] {
  const all = [...project.files].flatMap(([path, text]) =>
    text && /\.(?:[cm]?[jt]sx?|html?)$/.test(path) ? [text] : [],
  )
  return faultsOf(project, "markup", (path, page) => {
    const scripts = classicScripts(project, path, page)
    return scripts ? page.handlers.flatMap((one) => checkHandler(one, scripts, all)) : []
  })
}

/**
 * Returns the source of the page's classic scripts, whose names are global. Undefined if one of these scripts isn't in
 * the project.
 */
function classicScripts({ files }: Project, path: string, { links, scripts }: Markup): string[] | undefined {
  const linked = links
    .filter(({ isClassicScript }) => isClassicScript)
    .map(({ url }) => {
      const wanted = resolveAddress(path, url)
      return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(url) || wanted === undefined ? null : files.get(wanted)
    })
  if (!linked.every((text) => typeof text === "string")) return undefined
  return [...linked, ...scripts.filter(({ isModule }) => !isModule).map(({ text }) => text)]
}

function checkHandler({ name, line }: Markup["handlers"][number], scripts: string[], all: string[]): Fault[] {
  const made = new RegExp(`\\b(?:function\\s*\\*?|var|let|const|class|,)\\s*${name}\\b|\\b${name}\\s*=(?!=)`)
  const shared = new RegExp(`\\b(?:window|globalThis|self)(?:\\.${name}\\b|\\s*[,)\\[])`)
  if (scripts.some((text) => made.test(text)) || all.some((text) => shared.test(text))) return []
  const isInModule = all.some((text) => made.test(text))
  const reason = isInModule
    ? `is in a module, so the page's attributes can't access it. Use addEventListener in the module, or set window.${name}`
    : "isn't in any of the page's scripts"
  return [faultAt(line, "missing_function", `an attribute calls "${name}", which ${reason}.`)]
}
