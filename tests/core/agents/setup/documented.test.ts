import { readFileSync } from "node:fs"
import { clis } from "@switchyard/core/agents/clis/clis"
import { setupSources } from "@switchyard/core/agents/setup/sources"
import { expect, it } from "vitest"

const page = readFileSync(new URL("../../../../docs/agents.md", import.meta.url), "utf8")

it("is documented: the places that are read for each program", () => {
  const places = (...paths: (string | undefined)[]) =>
    paths.flatMap((path) => (path === undefined ? [] : [`\`${path}\``])).join("<br>")
  for (const [cli, { instructions, rules, skills, commands, servers }] of Object.entries(setupSources)) {
    const { title } = clis[cli as keyof typeof setupSources]
    const cells = [
      title,
      places(...instructions, rules),
      places(...skills),
      places(commands?.folder),
      places(servers.path),
    ]
    expect(page).toContain(`| ${cells.join(" | ")} |`.replaceAll("  ", " "))
  }
})

it("exists for each program that people can use", () => {
  expect(Object.keys(setupSources)).toEqual(Object.keys(clis).filter((cli) => cli !== "mock"))
})
