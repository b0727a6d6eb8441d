import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import { folderOf } from "../facts/paths.ts"
import { faultsOf, type Project } from "../facts/project.ts"
import type { PythonImport } from "../facts/python-module.ts"

/** Finds imports of missing modules of the project, and of missing names in them. */
export function checkPythonImports(project: Project): Finding[] {
  const folders = foldersOf(project)
  return faultsOf(project, "python", (path, { imports }) =>
    imports.flatMap((one) => (isMadeByBuild(one) ? [] : checkImport(project, folders, path, one))),
  )
}

/** Builds often generate version and parser modules. */
function isMadeByBuild({ module, names }: PythonImport): boolean {
  return /version|(?:^|\.)_?generated|_pb2|(?:^|\.)_\w+$/.test([module, ...names].join(" "))
}

function checkImport(project: Project, folders: Set<string>, path: string, one: PythonImport): Fault[] {
  const parts = one.module === "" ? [] : one.module.split(".")
  const base = one.level > 0 ? packageAt(path, one.level) : rootOf(project, folders, path, parts[0] ?? "")
  if (base === undefined) return []
  const target = [base, ...parts].filter(Boolean).join("/")
  const file = moduleFile(project, target)
  const shown = `${".".repeat(one.level)}${one.module}`
  if (file === undefined) {
    if (folders.has(target) || isCompiled(project, target))
      return missingNames(project, folders, target, undefined, one)
    return [faultAt(one.line, "missing_import", `there is no module "${shown}": the project has no ${target}.py.`)]
  }
  return missingNames(project, folders, target, file, one)
}

function missingNames(
  project: Project,
  folders: Set<string>,
  target: string,
  file: string | undefined,
  { names, line }: PythonImport,
): Fault[] {
  const module = file === undefined ? undefined : project.facts.get(file)
  if (module?.language !== "python" || !module.names) return []
  const own = module.names
  const isThere = (name: string) =>
    own.has(name) ||
    /^__\w+__$/.test(name) ||
    moduleFile(project, `${target}/${name}`) ||
    folders.has(`${target}/${name}`)
  return names
    .filter((name) => !isThere(name) && !isCompiled(project, `${target}/${name}`))
    .map((name) => faultAt(line, "missing_export", `${file} defines no "${name}".`))
}

/** Returns the folder of a relative import with this many dots. */
function packageAt(path: string, level: number): string | undefined {
  const segments = folderOf(path).split("/").filter(Boolean)
  return level - 1 > segments.length ? undefined : segments.slice(0, segments.length - level + 1).join("/")
}

/**
 * Returns the root that contains the first part of a module's name in the project. A script's own folder comes first,
 * but not a package's.
 */
function rootOf(project: Project, folders: Set<string>, path: string, name: string): string | undefined {
  const own = folderOf(path)
  const isScript = !project.files.has(own === "" ? "__init__.py" : `${own}/__init__.py`)
  return [...(isScript ? [own] : []), "", "src"].find((root) => {
    const target = root === "" ? name : `${root}/${name}`
    const file = moduleFile(project, target)
    // A module with a library's name imports the library by it.
    return file !== undefined && file !== path && !(folders.has(target) && !project.files.has(`${target}/__init__.py`))
  })
}

function moduleFile({ files }: Project, target: string): string | undefined {
  const candidates = target === "" ? ["__init__.py"] : [`${target}.py`, `${target}/__init__.py`]
  return candidates.find((candidate) => files.has(candidate))
}

function isCompiled({ files }: Project, target: string): boolean {
  if (["pyi", "pyx", "c", "so", "pyd", "pxd"].some((extension) => files.has(`${target}.${extension}`))) return true
  const prefix = `${target}.`
  return [...files.keys()].some((path) => path.startsWith(prefix) && /\.(?:so|pyd|cpp|rs)$/.test(path))
}

/** Returns every folder that contains a file at any depth. */
function foldersOf({ files }: Project): Set<string> {
  const folders = new Set<string>()
  for (const path of files.keys()) {
    for (let folder = folderOf(path); folder !== "" && !folders.has(folder); folder = folderOf(folder))
      folders.add(folder)
  }
  return folders
}
