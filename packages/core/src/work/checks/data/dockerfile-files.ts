import { nameOf } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import { folderOf, isMade, resolvePath } from "../facts/paths.ts"
import type { Project } from "../facts/project.ts"
import { type Instruction, readDockerfile } from "./dockerfile-errors.ts"

/** Finds missing files that are copied or run by the Dockerfile in the project's root. */
export function checkDockerfiles(project: Project): Finding[] {
  return [...project.files].flatMap(([path, text]) => {
    if (nameOf(path) !== "Dockerfile" || folderOf(path) !== "" || !text) return []
    const instructions = readDockerfile(text) ?? []
    const faults = [...instructions.flatMap((one) => checkCopy(project, one)), ...checkStart(project, instructions)]
    return faults.map((fault) => ({ path, ...fault }))
  })
}

/** Lock files, which tools such as `npm install` generate and a project may lack. */
const MADE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|go\.sum|Cargo\.lock|poetry\.lock|uv\.lock)$/

function checkCopy(project: Project, { name, rest, line }: Instruction): Fault[] {
  if (name !== "COPY" || /^--from=|[[\]$*?{}"]/.test(rest)) return []
  const words = rest.split(/\s+/).filter((word) => !word.startsWith("--"))
  return words.slice(0, -1).flatMap((word) => {
    const wanted = resolvePath("", word.replace(/^\/+/, ""))
    if (wanted === undefined || wanted === "" || isMade(project, wanted) || isThere(project.files, wanted)) return []
    const made = MADE.test(wanted)
      ? " It is generated during installation and may be missing: COPY package*.json copies only what exists."
      : ""
    return [faultAt(line, "missing_file", `COPY takes "${word}", but the project has no such file.${made}`)]
  })
}

/** Checks the start command if the whole project was copied to the container's working directory. */
function checkStart(project: Project, instructions: Instruction[]): Fault[] {
  if (!instructions.some(({ name, rest }) => name === "COPY" && /^\.\/?\s+\.\/?$/.test(rest))) return []
  const hasOneStage = instructions.filter(({ name }) => name === "FROM").length === 1
  const start = instructions.findLast(({ name }) => name === "CMD" || name === "ENTRYPOINT")
  const words =
    hasOneStage && start
      ? (/^\[(.*)\]$/.exec(start.rest)?.[1]?.match(/"[^"]*"/g) ?? start.rest.split(/\s+/)).map((word) =>
          word.replaceAll('"', ""),
        )
      : []
  const file = /^(?:node|python3?)$/.test(words[0] ?? "") ? words[1] : undefined
  if (!start || file === undefined || !/^[\w.][\w./-]*\.(?:[cm]?js|py)$/.test(file)) return []
  const wanted = resolvePath("", file)
  if (wanted === undefined || isMade(project, wanted) || project.files.has(wanted)) return []
  return [faultAt(start.line, "missing_file", `${start.name} starts ${file}, but the project has no such file.`)]
}

function isThere(files: Project["files"], wanted: string): boolean {
  return files.has(wanted) || [...files.keys()].some((path) => path.startsWith(`${wanted}/`))
}
