import { builtinModules } from "node:module"
import { nameOf } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { Import } from "../facts/javascript-module.ts"
import { folderOf, isMade, resolvePath, withoutQuery } from "../facts/paths.ts"
import { faultsOf, type Project } from "../facts/project.ts"
import { type Manifest, nearest, readManifests } from "./manifests.ts"

/** Finds imports of missing files, names and packages. */
export function checkJavaScriptImports(project: Project): Finding[] {
  const manifests = readManifests(project.files)
  const aliases = aliasTexts(project)
  return faultsOf(project, "javascript", (path, { imports }) =>
    imports.flatMap((one) =>
      /^\.\.?(?:\/|$)/.test(one.specifier)
        ? checkFileImport(project, path, one)
        : checkPackage(one, nearest(manifests, path), aliases),
    ),
  )
}

function checkFileImport(project: Project, path: string, one: Import): Fault[] {
  const wanted = resolvePath(folderOf(path), withoutQuery(one.specifier))
  if (wanted === undefined || isMade(project, wanted)) return []
  const found = candidates(wanted).find((candidate) => project.files.has(candidate))
  if (found === undefined) {
    return [faultAt(one.line, "missing_import", missingFile(project, path, { ...one, wanted }))]
  }
  const exported = exportsOf(project, found, new Set())
  if (!exported) return []
  return one.names
    .filter((name) => !exported.has(name))
    .map((name) => faultAt(one.line, "missing_export", `${found} ${missing(name, exported)}`))
}

const MAX_LISTED = 8

function missingFile(
  { files }: Project,
  importer: string,
  { specifier, wanted }: { specifier: string; wanted: string },
): string {
  const folder = folderOf(wanted)
  const isBeside = (path: string) => path !== importer && folderOf(path) === folder && SCRIPT.test(path)
  const there = [...files.keys()].filter(isBeside).map(nameOf)
  const beside = folder === "" || there.length === 0 ? "" : `; ${folder} has ${there.slice(0, MAX_LISTED).join(", ")}`
  return `there is no file "${specifier}": the project has no ${wanted}${beside}.`
}

const SCRIPT = /\.[cm]?[jt]sx?$/

function missing(name: string, exported: Set<string>): string {
  if (name === "default") return "has no default export."
  const named = [...exported].filter((other) => other !== "default").slice(0, MAX_LISTED)
  return `has no export named "${name}"; it exports ${named.length > 0 ? named.join(", ") : "nothing by name"}.`
}

const ENDINGS = "js,mjs,cjs,jsx,ts,tsx,mts,cts,d.ts,d.mts,d.cts,json,node,vue,svelte,css,scss,wasm".split(",")
const SOURCES: Record<string, string[]> = { js: ["ts", "tsx", "jsx"], jsx: ["tsx"], mjs: ["mts"], cjs: ["cts"] }

/** Returns the paths to which a runtime, a compiler or a bundler may resolve an import. */
function candidates(wanted: string): string[] {
  const [, stem, extension] = /^(.*)\.(js|jsx|mjs|cjs)$/.exec(wanted) ?? []
  const sources = stem && extension ? [...(SOURCES[extension] ?? []), `d.${extension.replace("js", "ts")}`] : []
  const index = wanted === "" ? "index" : `${wanted}/index`
  return [
    ...[wanted, ...sources.map((source) => `${stem}.${source}`), ...ENDINGS.map((ending) => `${wanted}.${ending}`)],
    ...ENDINGS.map((ending) => `${index}.${ending}`),
    ...[wanted === "" ? "package.json" : `${wanted}/package.json`],
  ]
}

/** Returns all names that a file exports. Undefined if they can't be determined. */
function exportsOf(
  { files, facts }: Pick<Project, "files" | "facts">,
  path: string,
  seen: Set<string>,
): Set<string> | undefined {
  if (seen.has(path)) return new Set()
  seen.add(path)
  const module = facts.get(path)
  if (module?.language !== "javascript" || !module.exports || isDeclared(files, path)) return undefined
  const all = new Set(module.exports)
  for (const star of module.stars) {
    const wanted = star.startsWith(".") ? resolvePath(folderOf(path), star) : undefined
    const found = wanted === undefined ? undefined : candidates(wanted).find((candidate) => files.has(candidate))
    const behind = found && exportsOf({ files, facts }, found, seen)
    if (!behind) return undefined
    for (const name of behind) if (name !== "default") all.add(name)
  }
  return all
}

/** Returns true if a module has a declaration file next to it, which may declare more names. */
function isDeclared(files: Project["files"], path: string): boolean {
  return files.has(path.replace(/\.([cm]?)[jt]sx?$/, ".d.$1ts"))
}

const PACKAGE = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*/i
const BUILTIN = new Set(builtinModules)

function checkPackage({ specifier, line }: Import, manifest: Manifest | undefined, aliases: string): Fault[] {
  const [name] = PACKAGE.exec(specifier) ?? []
  if (!manifest || name === undefined || /[:!]/.test(specifier) || BUILTIN.has(name)) return []
  const types = `@types/${name.replace("@", "").replace("/", "__")}`
  if (manifest.packages.has(name) || manifest.packages.has(types) || isAlias(name, aliases)) return []
  const message = `the package "${name}" is imported, but ${manifest.path} doesn't list it as a dependency.`
  return [faultAt(line, "undeclared_package", message)]
}

/** Returns the text of all files that can define aliases for folders or modules. */
function aliasTexts({ files }: Project): string {
  const configured =
    /(?:^|\/)(?:[tj]sconfig[^/]*\.json|deno\.jsonc?|import[-_]map\.json|[^/]*\.config\.[cm]?[jt]s|\.babelrc|[^/]*\.html?|[^/]*\.d\.ts)$/
  return [...files].map(([path, text]) => (configured.test(path) ? (text ?? "") : "")).join("\n")
}

function isAlias(name: string, aliases: string): boolean {
  const scope = name.split("/")[0] ?? name
  return [name, scope].some((word) => ['"', "'", "`"].some((quote) => aliases.includes(`${quote}${word}`)))
}
