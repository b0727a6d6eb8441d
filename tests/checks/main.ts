import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { grammarOf } from "@switchyard/core/files/symbols/languages"
import { checkProject } from "@switchyard/core/work/checks/check-project"
import { downloads } from "./download.ts"
import { TRUE_OF_PACKAGES } from "./packages.ts"

process.exitCode = (await main()) ? 0 : 1

/** Runs the static checks on published packages without errors, and expects no findings: `npm run test:checks`. */
async function main(): Promise<boolean> {
  const false_: string[] = []
  const files = new Map<string, number>()
  let packages = 0
  let chars = 0
  let explained = 0
  let ms = 0
  for await (const { client, folders } of downloads()) {
    if (folders instanceof Error) {
      console.log(`not tried: the packages of ${client}; ${folders.message.split("\n", 1)[0]}`)
      continue
    }
    for (const folder of folders) {
      const project = readProject(folder)
      for (const [path, text] of project) {
        const grammar = text === null ? undefined : grammarOf(path)
        if (grammar) files.set(grammar, (files.get(grammar) ?? 0) + 1)
        chars += text?.length ?? 0
      }
      const before = performance.now()
      const findings = await checkProject(project)
      ms += performance.now() - before
      const name =
        relative(join(folder, ".."), folder) === "package"
          ? relative(join(folder, "../.."), folder)
          : relative(join(folder, ".."), folder)
      const shown = findings.map(({ path, rule, message }) => `${name} ${path} [${rule}] ${message}`)
      const wrong = shown.filter((line) => !TRUE_OF_PACKAGES.some(([finding]) => finding.test(line)))
      explained += shown.length - wrong.length
      false_.push(...wrong)
      packages++
    }
  }
  for (const [grammar, count] of [...files].sort((a, b) => b[1] - a[1])) console.log(`${grammar}: ${count} files`)
  console.log(`${packages} packages, ${(chars / 1e6).toFixed(0)} million characters, ${(ms / 1000).toFixed(1)} s`)
  console.log(`${explained} findings that are true of a package as it is published`)
  for (const finding of false_) console.log(`FALSE ${finding}`)
  console.log(`${false_.length} false findings`)
  return packages > 0 && false_.length === 0
}

function readProject(folder: string): Map<string, string | null> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return [relative(folder, file), textOf(readFileSync(file))]
    }),
  )
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
