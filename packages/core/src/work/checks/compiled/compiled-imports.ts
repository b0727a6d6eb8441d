import { extensionOf, nameOf } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import { folderOf } from "../facts/paths.ts"
import { faultsOf, type Project } from "../facts/project.ts"

/** Finds imports of Go packages and Rust modules that have no files in the project. */
export function checkCompiledImports(project: Project): Finding[] {
  const goModules = readGoModules(project)
  return [
    ...faultsOf(project, "go", (path, { imports }) => {
      const module = goModules
        .filter(({ folder }) => folder === "" || path.startsWith(`${folder}/`))
        .sort((a, b) => b.folder.length - a.folder.length)[0]
      // Go ignores files and folders whose names start with `_` or `.`.
      return module && !/(?:^|\/)[_.]/.test(path)
        ? imports.flatMap(({ name, line }) => checkGoImport(project, module, name, line))
        : []
    }),
    ...faultsOf(project, "rust", (path, { imports }) =>
      imports.flatMap(({ name, line }) => checkRustModule(project, path, name, line)),
    ),
  ]
}

interface GoModule {
  folder: string
  path: string
  text: string
}

function readGoModules({ files }: Project): GoModule[] {
  return [...files].flatMap(([file, text]) => {
    const path = nameOf(file) === "go.mod" ? /^module[ \t]+"?([^\s"]+)/m.exec(text ?? "")?.[1] : undefined
    return path === undefined ? [] : [{ folder: folderOf(file), path, text: text ?? "" }]
  })
}

function checkGoImport({ files }: Project, module: GoModule, name: string, line: number): Fault[] {
  if (name === module.path || name.startsWith(`${module.path}/`)) {
    const folder = [module.folder, name.slice(module.path.length + 1)].filter(Boolean).join("/")
    const hasPackage = [...files.keys()].some((path) => folderOf(path) === folder && extensionOf(path) === "go")
    const isOther = module.text.includes(`${name} v`) || [...files.keys()].some((path) => path === `${folder}/go.mod`)
    if (hasPackage || isOther) return []
    const message = `there is no package "${name}": the project has no Go files in ${folder || "."}.`
    return [faultAt(line, "missing_import", message)]
  }
  if (!name.split("/", 1)[0]?.includes(".")) return []
  // go.mod lists modules, whereas an import names a package, which is a folder in a module. So look up each prefix of
  // the package's path.
  const prefixes = name.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"))
  if (prefixes.some((prefix) => new RegExp(`(?:^|\\s)${RegExp.escape(prefix)}\\s`, "m").test(module.text))) return []
  const message = `the package "${name}" is imported, but go.mod requires no module that contains it.`
  return [faultAt(line, "undeclared_package", message)]
}

function checkRustModule({ files }: Project, path: string, name: string, line: number): Fault[] {
  const folder = folderOf(path)
  const stem = nameOf(path).slice(0, -".rs".length)
  const folders = [folder, [folder, stem].filter(Boolean).join("/")]
  const paths = folders.flatMap((one) =>
    [`${name}.rs`, `${name}/mod.rs`].map((file) => [one, file].filter(Boolean).join("/")),
  )
  if (paths.some((one) => files.has(one))) return []
  return [faultAt(line, "missing_import", `there is no module "${name}": the project has no ${paths[0]}.`)]
}
