import type { Finding } from "../facts/finding.ts"
import { lineAt } from "../facts/finding.ts"
import { isMade, resolvePath } from "../facts/paths.ts"
import type { Project } from "../facts/project.ts"
import { commandsIn, type Manifest, readManifests } from "./manifests.ts"

/** Finds package.json scripts that run a missing file or another script that doesn't exist. */
export function checkScripts(project: Project): Finding[] {
  const { files } = project
  return readManifests(files).flatMap((manifest) => {
    const text = files.get(manifest.path) ?? ""
    return [...manifest.scripts].flatMap(([name, script]) =>
      faultsOfScript(project, manifest, script).map((fault): Finding => {
        const line = lineAt(text, Math.max(0, text.indexOf(JSON.stringify(script))))
        return {
          path: manifest.path,
          line,
          rule: "missing_script",
          message: `Line ${line}: the script "${name}" ${fault}`,
        }
      }),
    )
  })
}

const INTERPRETER = /^(?:node|nodemon|tsx|ts-node|bun|python3?|sh|bash)$/
const FILE = /^(?:\.\/)?[\w.-]+(?:\/[\w.-]+)*\.(?:[cm]?[jt]s|py|sh)$/
/** Options that take the next word as their value. */
const WITH_VALUE = /^-(?:r|m|-require|-import|-loader|-env-file|-test-reporter|-watch-path|-experimental-loader)$/

function faultsOfScript(project: Project, manifest: Manifest, script: string): string[] {
  if (/\bcd\b|[`$*?{}\\]/.test(script)) return []
  return commandsIn(script).flatMap((words) => [
    ...missingScript(manifest, words),
    ...missingFiles(project, manifest, words),
  ])
}

function missingScript({ scripts }: Manifest, [program = "", run, name = "", ...rest]: string[]): string[] {
  if (program === "npm" && (run === "start" || run === "test") && !scripts.has(run) && name === "") {
    return [`runs "npm ${run}", but there is no such script.`]
  }
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program) || run !== "run" || !/^[\w:.-]+$/.test(name) || name.startsWith("-"))
    return []
  if (scripts.has(name) || rest.some((word) => /^(?:-w|-C|--workspaces?|--prefix|--if-present)\b/.test(word))) return []
  return [`runs "${program} run ${name}", but there is no such script.`]
}

function missingFiles(project: Project, { folder }: Manifest, [program = "", ...words]: string[]): string[] {
  if (!INTERPRETER.test(program) || words.some((word) => /^-(?:e|p|c|-eval|-print)$/.test(word))) return []
  const isTest = words.includes("--test")
  const values = words.filter((word, index) => !word.startsWith("-") && !WITH_VALUE.test(words[index - 1] ?? ""))
  return (isTest ? values : values.slice(0, 1)).flatMap((word) => {
    const path = FILE.test(word) ? resolvePath(folder, word) : undefined
    if (path === undefined || project.files.has(path) || isMade(project, path)) return []
    return [`runs ${word}, but the project has no such file.`]
  })
}
