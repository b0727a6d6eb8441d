import { extensionOf } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { Markup } from "../facts/markup.ts"
import type { ModuleSystem } from "../facts/module-system.ts"
import { resolveAddress } from "../facts/paths.ts"
import { faultsOf, type Project } from "../facts/project.ts"
import { commandsIn, hasBundler, type Manifest, nearest, readManifests } from "./manifests.ts"

/** Finds scripts that are written for one module system but run in the other. */
export function checkModuleKinds(project: Project): Finding[] {
  const manifests = readManifests(project.files)
  const inNode = faultsOf(project, "javascript", (path, { system }) =>
    system && /\.[cm]?js$/.test(path)
      ? [
          ...checkInNode(path, system, nearest(manifests, path)),
          ...checkTypeless(path, system, nearest(manifests, path)),
        ]
      : [],
  )
  return [...inNode, ...faultsOf(project, "markup", (path, page) => checkInPage(project, path, page))]
}

function checkInNode(path: string, { module, common }: ModuleSystem, manifest: Manifest | undefined): Fault[] {
  const extension = extensionOf(path)
  if (module && extension === "cjs") {
    return [faultAt(module.line, "module_kind", `"${module.text}" can't run in a .cjs file, which is CommonJS.`)]
  }
  if (!common || extension === "cjs") return []
  // Bundlers allow `require` in a file with imports, so such a file doesn't count as mixed.
  const isMixed = module !== undefined && !/\brequire\(/.test(common.text)
  const reason = reasonForModule(extension, isMixed, manifest)
  if (reason === undefined) return []
  const message = `"${common.text}" is CommonJS, but the file is an ES module: ${reason}. Use import and export.`
  return [faultAt(common.line, "module_kind", message)]
}

/** Finds an ES module that a package script runs with Node, although the package.json has no `type` field. */
function checkTypeless(path: string, { module, common }: ModuleSystem, manifest: Manifest | undefined): Fault[] {
  if (!module || common || !manifest || extensionOf(path) !== "js" || manifest.type !== undefined) return []
  const { json, scripts, folder } = manifest
  const name = folder === "" ? path : path.slice(folder.length + 1)
  const isRun = [...scripts.values()].some((script) =>
    commandsIn(script).some(([program, ...words]) => {
      return program === "node" && words.some((word) => word.replace(/^\.\//, "") === name || runsAsTest(word, name))
    }),
  )
  const engines = JSON.stringify(json.engines ?? "")
  // Newer versions of Node, and bundlers, detect the module system without a `type` field.
  if (!isRun || hasBundler(manifest) || /(?:2[2-9]|[3-9]\d)/.test(engines)) return []
  const message = `"${module.text}" needs "type": "module" in ${manifest.path}: without it, Node treats the file as CommonJS.`
  return [faultAt(module.line, "module_kind", message)]
}

function runsAsTest(word: string, name: string): boolean {
  return word === "--test" && /(?:^|[./_-])test\.js$/.test(name)
}

function reasonForModule(extension: string, isMixed: boolean, manifest: Manifest | undefined): string | undefined {
  if (extension === "mjs") return "its name ends with .mjs"
  if (manifest?.type === "module") return `${manifest.path} says "type": "module"`
  return isMixed ? "it has import or export statements" : undefined
}

/** Finds scripts with imports or exports that their page doesn't load as modules. Browsers reject such scripts. */
function checkInPage({ files, facts }: Project, path: string, { links }: Markup): Fault[] {
  return links.flatMap(({ url, line, isClassicScript }) => {
    if (!isClassicScript) return []
    const wanted = resolveAddress(path, url)
    const script = wanted !== undefined && files.has(wanted) ? facts.get(wanted) : undefined
    const use = script?.language === "javascript" ? script.system?.module : undefined
    if (!use) return []
    const message = `${wanted} has "${use.text}", which is only allowed in a module: the script needs type="module".`
    return [faultAt(line, "module_kind", message)]
  })
}
