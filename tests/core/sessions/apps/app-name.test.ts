import { appNameProblem, requireAppName, suggestAppName } from "@switchyard/core/sessions/apps/app-name"
import { previewLabel } from "@switchyard/core/sessions/previews/preview-host"
import { previewSegment } from "@switchyard/core/sessions/previews/preview-path"
import { secretAddress } from "@switchyard/functions/local/sign-in"
import { describe, expect, it } from "vitest"

describe("an app's name", () => {
  it.each(["tea", "tea-list", "a1b", "2048-game", "x".repeat(40)])("may be %s", (name) => {
    expect(appNameProblem(name)).toBeUndefined()
    expect(requireAppName(name)).toBe(name)
  })

  it.each<[name: string, problem: string]>([
    ["", "Enter a name."],
    ["ab", "at least 3"],
    ["x".repeat(41), "at most 40"],
    ["12345", "at least one letter"],
    ...[
      "Tea",
      "tea.list",
      "tea_list",
      "-tea",
      "tea-",
      "tea--list",
      "xn--80ak6aa92e",
      "té",
      "tea list",
      "tea\n",
      "te\0a",
    ].map((name) => [name, "lowercase letters, digits and single hyphens"] as [string, string]),
    ...[
      "www",
      "api",
      "studio",
      "previews",
      "localhost",
      "login",
      "switchyard",
      "my-switchyard",
      "switch-yard-login",
    ].map((name) => [name, "is reserved"] as [string, string]),
  ])("may not be %j", (name, problem) => {
    expect(appNameProblem(name)).toContain(problem)
    expect(() => requireAppName(name)).toThrow(problem)
  })

  it("never has the form of a preview's address, or of the studio's own name", () => {
    const key = new Uint8Array(32)
    const grant = { sid: "0".repeat(32), incarnation: 1, seq: null, external: false }
    expect(appNameProblem(previewLabel(key, grant))).toBeDefined()
    expect(appNameProblem(previewSegment(key, { grant, studio: "" }).toLowerCase())).toContain("at most 40")
    const studio = secretAddress(new URL("http://127.0.0.1:3000"), "a-token")
    expect(appNameProblem(studio?.hostname.split(".")[0] ?? "")).toContain("is reserved")
  })
})

describe("the suggested name", () => {
  it.each([
    ["Tea List", "tea-list"],
    ["Crème brûlée & Söhne!", "creme-brulee-sohne"],
    ["A list that remembers what I typed, with a search and much more", "a-list-that-remembers-what-i-typed-with"],
    ["Studio", "my-app"],
    ["日本語", "my-app"],
    ["--", "my-app"],
    [`${"x".repeat(60)} list`, "list"],
  ])("of %j is %s", (title, name) => {
    expect(suggestAppName(title)).toBe(name)
    expect(appNameProblem(name)).toBeUndefined()
  })
})
