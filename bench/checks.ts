import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { checkProject } from "@switchyard/core/work/checks/check-project"
import { recipeFiles } from "@switchyard/demo-model/recipe-files"
import { compared, type Question, sideBySide, timed } from "./measure.ts"

const FILES = 12
const run = promisify(execFile)

export const checks: Question = {
  asks: `How long do the static checks of a project of ${FILES} files take?`,
  async answer() {
    const project = sample()
    const nothing = () => timed(() => run(process.execPath, ["-e", "0"]))
    const again = await sideBySide(() => timed(() => checkProject(project)), nothing)
    const first = await sideBySide(
      () => timed(() => run(process.execPath, ["--input-type=module", "-e", FIRST])),
      nothing,
    )
    return [
      compared("checks, grammars loaded", "ms", "node -e 0", again, { of: "ratio", atMost: 1 }),
      compared("a process that loads grammars and checks", "ms", "node -e 0", first, { of: "ratio", atMost: 20 }),
    ]
  },
}

/** Returns files of the demo model, evenly spread over all of its recipes. */
function sample(): Map<string, string> {
  const all = Object.entries(recipeFiles)
  return new Map(Array.from({ length: FILES }, (_, index) => all[Math.floor((index * all.length) / FILES)] ?? ["", ""]))
}

const FIRST = `
  const checks = await import(${JSON.stringify(import.meta.resolve("@switchyard/core/work/checks/check-project"))})
  await checks.checkProject(new Map(${JSON.stringify([...sample()])}))
`
