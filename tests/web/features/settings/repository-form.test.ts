import { RepositorySettings } from "@switchyard/core/people/settings/repository-settings-schema"
import { expect, it } from "vitest"
import {
  blankRepository,
  factsOf,
  fromForm,
  repositoryErrors,
  toForm,
} from "../../../../packages/web/src/features/settings/repositories/repository-form.ts"

const settings = {
  ...{ repository: "/code/tool", setup: "npm ci\nnpm run db", cleanup: "" },
  ...{ copy: [".env"], link: ["node_modules", ".venv"], cache: [], ports: 2 },
  verification: {
    ...{ verify: true, allow_test_changes: true, verification_attempts: 3 },
    ...{ verification_agent: "codex", verification_model: "gpt-6" },
  },
  checks: { test: "make e2e", project_type: "go" as const, limits_seconds: { build: 60, test: 900, start: 5 } },
  preview: { port_mode: "manual" as const, port: 5173 },
  instructions_paths: ["docs/GARDEN.md"],
  preferred_coding_agent: "work",
}

it("shows the settings of a repository as they are stored, and sends them back unchanged", () => {
  expect(fromForm(toForm(settings))).toEqual(settings)
  const usual = {
    ...{ verify: null, allow_test_changes: null, verification_attempts: null },
    ...{ verification_agent: null, verification_model: null },
  }
  const asUsual = { ...settings, verification: usual }
  expect(fromForm(toForm(asUsual))).toEqual(asUsual)
  expect(fromForm(toForm({ ...settings, verification: { ...usual, allow_test_changes: false } }))).toMatchObject({
    verification: { verify: null, allow_test_changes: false },
  })
})

it("sends what was typed: lists a line each, nothing for an empty field, and a number that isn't one to be refused", () => {
  const typed = { ...blankRepository, repository: "/code/tool", copy: " .env \n\n.npmrc\n", lint: "  ", test: "make" }
  expect(fromForm(typed)).toMatchObject({ copy: [".env", ".npmrc"], checks: { test: "make" }, ports: 0 })
  expect(fromForm({ ...typed, lint_limit: " 30 ", test_limit: "" }).checks).toEqual({
    test: "make",
    limits_seconds: { lint: 30 },
  })
  expect([" ", "", "3", "x"].map((ports) => fromForm({ ...blankRepository, ports }).ports)).toEqual([0, 0, 3, NaN])
})

it("says of each field what is wrong with it", () => {
  const wrong = {
    ...toForm(settings),
    ...{ test: "two\nlines", test_limit: "0", preview_port: "80", instructions_paths: "../x", ports: "99" },
    ...{ attempts: "0", reviewer_model: "two\nlines" },
  }
  const { error } = RepositorySettings.safeParse(fromForm(wrong))
  expect(Object.keys(error ? repositoryErrors(error) : {}).sort()).toEqual([
    ...["attempts", "instructions_paths", "ports", "preview_port", "reviewer_model", "test", "test_limit"],
  ])
})

it("sums them up in a line", () => {
  expect(factsOf(settings)).toBe(
    "Go · default agent work · reads docs/GARDEN.md first · tasks are verified · test changes allowed · 3 attempts · reviewed by codex (gpt-6) · setup: npm ci · copies .env · links node_modules, .venv · test: make e2e · build time limit 60 s · test time limit 900 s · start time limit 5 s · preview on port 5173 · 2 ports",
  )
  const none = fromForm({ ...blankRepository, link: "" })
  expect(factsOf({ ...none, verification: undefined, checks: {} })).toBe("Defaults")
})
