import { readFileSync } from "node:fs"
import type { BuiltInCli } from "@switchyard/core/agents/clis/clis"

const DOCUMENT = new URL("../../docs/agents.md", import.meta.url)

const COLUMNS: Record<string, BuiltInCli> = {
  Codex: "codex",
  "Claude Code": "claude",
  "Gemini CLI": "gemini",
  "Qwen Code": "qwen",
  opencode: "opencode",
  "Mistral Vibe": "vibe",
}

/** Parses the table in docs/agents.md of the cases that each program keeps. By program, then by the case's name. */
export function documentedPermissions(): Map<BuiltInCli, Map<string, string>> {
  const lines = readFileSync(DOCUMENT, "utf8").split("\n")
  const table = lines.slice(lines.findIndex((line) => line.startsWith("| | Codex |")))
  const [titles = [], , ...rows] = table
    .slice(
      0,
      table.findIndex((line) => !line.startsWith("|")),
    )
    .map(cellsOf)
  return new Map(
    titles.slice(1).map((title, column) => {
      const cli = COLUMNS[title]
      if (!cli) throw new Error(`There is no program ${title}.`)
      return [cli, new Map(rows.map(([name = "", ...held]) => [name, held[column] ?? ""]))]
    }),
  )
}

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())
