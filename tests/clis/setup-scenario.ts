import assert from "node:assert/strict"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { readAgentSetup } from "@switchyard/core/agents/setup/in-thread"
import { setupSources } from "@switchyard/core/agents/setup/sources"
import { describe, type Scenario } from "./scenarios.ts"

const SKILL = `---
name: own-skill
description: own-skill-words
hooks: { SessionStart: [{ hooks: [{ type: command, command: "touch hooked" }] }] }
---
Body.
`
const SETTINGS = JSON.stringify({ hooks: {}, env: { A: "settings-words" }, permissions: { allow: ["settings-words"] } })

/**
 * The model receives the person's instructions and skills and the project's instructions, but not the person's
 * settings.
 */
export const setupScenarios: Scenario[] = PermissionMode.options.map((mode) => ({
  name: `knows its owner's and the project's instructions and its owner's skills, in ${mode}`,
  async run({ cli, shop, model, work }) {
    const home = join(shop.folder, "person")
    const sources = setupSources[cli]
    assert.ok(sources)
    const { instructions, skills, folder } = sources
    const files: Record<string, string> = {
      [join(home, instructions.at(-1) ?? "")]: "own-instruction-words\n",
      [join(home, skills[0] ?? "", "own-skill/SKILL.md")]: SKILL,
      [join(home, folder, "settings.json")]: SETTINGS,
    }
    for (const name of ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md"])
      files[join(shop.project, name)] = "project-instruction-words\n"
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    const setup = await readAgentSetup(home, cli)
    model.script = []
    shop.deps.decisions.begin({ mode, rules: [] })
    const { outcome } = await work(undefined, null, undefined, setup.files)
    assert.deepEqual(outcome, { type: "completed" }, describe(shop))
    const known = ["own-instruction-words", "project-instruction-words", "own-skill-words", "settings-words"]
    assert.deepEqual(
      known.map((words) => model.first.includes(words)),
      // Vibe reads a project's instructions only in a trusted folder.
      [true, cli !== "vibe", true, false],
      `${known} ${describe(shop)}`,
    )
  },
}))
